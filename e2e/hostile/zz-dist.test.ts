import fc from 'fast-check'
import { test } from 'vitest'
import { anyRequest, anyMessage } from '/work/main/e2e/hostile/arbitrary-request.ts'
import { send } from '/work/main/e2e/hostile/http-request.ts'
import { startGateway, localKey } from '/work/main/e2e/hostile/start-gateway.ts'
import { openSocket } from '/work/main/e2e/hostile/socket.ts'
test('dist', async () => {
  const g = await startGateway()
  const m = new Map<string, number>()
  for (const r of fc.sample(anyRequest(g.routes), { numRuns: 1500, seed: 5 })) {
    const a = await send(g.port, r)
    const k = `${a.status} ${(a.json as any)?.code ?? ''}`
    m.set(k, (m.get(k) ?? 0) + 1)
  }
  console.log([...m].sort())
  const t = (await send(g.port, { path: '/metrics' })).text
  console.log(t.split('\n').filter((l) => /^sluice_(sub|pend|ingest|open)/.test(l)).join('\n'))
  const s = await openSocket(g.port, { key: localKey })
  for (const x of fc.sample(anyMessage, { numRuns: 300, seed: 5 })) s.send(x)
  s.send({type:'ping',ref:'zz'}); await s.waitFor(x => x.ref === 'zz')
  const n = new Map<string, number>()
  for (const x of s.messages) { const k = `${x.type} ${x.code ?? ''}`; n.set(k, (n.get(k) ?? 0) + 1) }
  console.log([...n]); s.close()
  await g.close()
})
