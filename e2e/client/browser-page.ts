import { existsSync, readFileSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import type { PeerRequest } from '../../packages/client/src/testing/peer.ts'

/** A page that imports the client and the protocol core as `servePage` serves them, without a bundler. */
const html = `<!doctype html><title>client</title><script type="importmap">
{ "imports": { "@sluice/client": "/client/index.js", "@sluice/protocol": "/protocol/index.js" } }
</script>`

/** Serves the page and the built packages; false for any other request. */
export function servePage({ url }: PeerRequest, response: ServerResponse): boolean {
  if (url.pathname === '/') {
    response.writeHead(200, { 'content-type': 'text/html' }).end(html)
    return true
  }
  const [, name, path] = /^\/(client|protocol)\/([\w./-]+\.js)$/.exec(url.pathname) ?? []
  const file = `packages/${name}/dist/${path}`
  if (name === undefined || file.includes('..') || !existsSync(file)) return false
  response.writeHead(200, { 'content-type': 'text/javascript' }).end(readFileSync(file))
  return true
}
