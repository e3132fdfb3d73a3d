import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Validator } from '@seriousme/openapi-schema-validator'
import { type ErrorCode, errorTable, SluiceError } from '@sluice/protocol'
import { Ajv2020 } from 'ajv/dist/2020.js'
import generateTypes from 'openapi-typescript'
import { describe, expect, test } from 'vitest'
import { createInfo, fromInfo, toResource } from '../../kernel/sessions/session-info.ts'
import { version } from '../../ops/version.ts'
import { startGateway } from '../../testing/start-gateway.ts'
import { retryAfterOf, toProblem } from '../http/problem.ts'
import { createOpenApi } from './create-openapi.ts'
import { anyRequest } from './problems.ts'

interface Reference {
  readonly $ref: string
}

interface Operation {
  readonly operationId: string
  readonly tags: readonly string[]
  readonly summary: string
  readonly parameters?: readonly (Reference | { readonly name: string; readonly in: string })[]
  readonly requestBody?: { readonly required: boolean }
  readonly responses: Readonly<Record<string, { readonly description: string; readonly headers?: object }>>
}

/** The parts of the document that these tests read. */
interface OpenApiDocument {
  readonly info: { readonly version: string }
  readonly tags: readonly { readonly name: string }[]
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: {
    readonly schemas: Readonly<Record<string, object>>
    readonly parameters?: object
    readonly headers?: object
  }
}

const gateway = await startGateway()
const served = gateway.gateway.routes
const json = await (await gateway.request('/openapi.json')).text()
await gateway.close()
const document: OpenApiDocument = JSON.parse(json)
const pageOf = (name: string) => readFileSync(new URL(`../../../../../docs/${name}`, import.meta.url), 'utf8')
const page = pageOf('http-api.md')
const operations = Object.entries(document.paths).flatMap(([path, item]) =>
  Object.entries(item).map(([method, operation]) => ({ path, method, ...operation })),
)

const documentedRoutes = operations.map(({ path, method }) => `${method.toUpperCase()} ${path}`)

/** A validator that knows the schemas of the document by name. */
function createValidator(): Ajv2020 {
  const validator = new Ajv2020({ strict: false, validateFormats: false })
  validator.addSchema(JSON.parse(json), 'openapi')
  return validator
}

const valueAt = (pointer: string): unknown =>
  pointer
    .slice('#/'.length)
    .split('/')
    .reduce<unknown>((value, name) => Object(value)[name.replaceAll('~1', '/')], document)

/** The field names in the first table after `start`, with the marks of optional ones. */
function fieldsBehind(start: string): readonly string[] {
  const table = page.slice(page.indexOf(start)).split('\n| --- |')[1]?.split('\n\n')[0] ?? ''
  return table
    .split('\n')
    .slice(1)
    .flatMap((row) => [...(row.split('|')[1] ?? '').matchAll(/`([^`]+)`/g)].map(([, name = '']) => name))
}

describe('createOpenApi()', () => {
  test('has every route of docs/http-api.md and docs/aaep.md and no other', () => {
    const told = [...`${page}${pageOf('aaep.md')}`.matchAll(/`((?:GET|POST|DELETE) \/[^\s`?]*)/g)].map(
      ([, route = '']) => route,
    )
    expect([...new Set(told)].toSorted()).toEqual(documentedRoutes.toSorted())
  })

  test('has every route that a gateway serves but its page', () => {
    const paths = served.map((route) => route.replace(/:(\w+)/g, '{$1}')).filter((route) => route !== 'GET /')
    const documented = documentedRoutes.map((route) => route.replace('{name}.json', '{name}'))
    expect(paths.toSorted()).toEqual(documented.toSorted())
  })

  test('has a description of every route', () => {
    for (const { path, method, operationId, summary, tags, responses } of operations) {
      expect(operationId, `${method} ${path}`).toMatch(/^[a-z]\w+$/)
      expect(summary, `${method} ${path}`).toMatch(/^\w/)
      expect(tags, `${method} ${path}`).not.toHaveLength(0)
      for (const { description } of Object.values(responses))
        expect(description, `${method} ${path}`).not.toBe('Default Response')
    }
  })

  test('is plain JSON and carries the version', async () => {
    const made = await createOpenApi([], '1.2.3')
    expect(JSON.parse(JSON.stringify(made))).toEqual(made)
    expect(made).toHaveProperty('info.version', '1.2.3')
    expect(document.info.version).toBe(version)
  })

  test('refers to nothing that is not there, and has nothing that is not referred to', () => {
    const refs = new Set([...json.matchAll(/"\$ref":"([^"]+)"/g)].map(([, ref = '']) => ref))
    for (const ref of refs) expect(valueAt(ref), ref).toBeDefined()
    const { schemas, parameters = {}, headers = {} } = document.components
    for (const [kind, named] of Object.entries({ schemas, parameters, headers }))
      for (const name of Object.keys(named)) expect(refs).toContain(`#/components/${kind}/${name}`)
  })

  test('has schemas that another validator takes', () => {
    const validator = createValidator()
    for (const name of Object.keys(document.components.schemas))
      expect(validator.getSchema(`openapi#/components/schemas/${name}`), name).toBeTypeOf('function')
  })

  test('names every operation once, and the parameters of its address', () => {
    const ids = operations.map(({ operationId }) => operationId)
    expect(new Set(ids).size).toBe(ids.length)
    const tags = document.tags.map(({ name }) => name)
    for (const { path, parameters = [], tags: own } of operations) {
      const named = parameters
        .map((each) => ('$ref' in each ? valueAt(each.$ref) : each))
        .filter((each) => Object(each).in === 'path')
        .map((each) => Object(each).name)
      expect(named).toEqual([...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name))
      expect(tags).toEqual(expect.arrayContaining([...own]))
    }
  })

  test('tells every error under its status, but those that belong to no route', () => {
    const elsewhere: readonly ErrorCode[] = [
      'usage',
      'unreadable_input',
      'bad_config',
      'data_in_use',
      'newer_data',
      'damaged_data',
      'gateway_unreachable',
      'address_in_use',
      'fetch_refused',
      'fetch_failed',
      'untrusted_folder',
      'run_cancelled',
      'unknown_route',
      'method_not_allowed',
      'log_conflict',
      'fenced',
    ]
    const told = new Set<string>()
    for (const { responses } of operations)
      for (const [status, { description }] of Object.entries(responses))
        for (const [, code = ''] of description.matchAll(/^`(\w+)`: /gm)) {
          expect(errorTable[code as ErrorCode].status, code).toBe(Number(status)) // the description is made of the table
          told.add(code)
        }
    const all = Object.keys(errorTable)
    expect([...told, ...elsewhere].toSorted()).toEqual(all.toSorted())
  })

  test('tells what any request may meet at every route under /v1', () => {
    for (const { path, responses } of operations.filter((each) => each.path.startsWith('/v1')))
      for (const code of anyRequest)
        expect(responses[errorTable[code].status]?.description, `${path} ${code}`).toContain(`\`${code}\`:`)
  })

  test('tells Retry-After where the gateway sends it', () => {
    for (const { responses } of operations)
      for (const [status, { description, headers }] of Object.entries(responses))
        for (const [, code = ''] of description.matchAll(/^`(\w+)`: /gm)) {
          const isSent = retryAfterOf(new SluiceError(code as ErrorCode)) !== undefined // of the table, see above
          expect('Retry-After' in (headers ?? {}), `${status} ${code}`).toBe(isSent)
        }
  })

  test('describes the problems that the gateway answers', () => {
    const check = createValidator().getSchema('openapi#/components/schemas/Problem')
    for (const code of Object.keys(errorTable)) {
      const problem = toProblem(new SluiceError(code as ErrorCode, { details: { expected: 7 } })) // a key of the table
      expect(check?.(problem), JSON.stringify(check?.errors)).toBe(true)
    }
  })

  test('describes the sessions that the gateway answers', () => {
    const check = createValidator().getSchema('openapi#/components/schemas/Session')
    const head = { session: 'sess_a', createdAt: 1, updatedAt: 2, lastSeq: -1, bytes: 0, producers: {} }
    const full = createInfo({
      foreign: 'f',
      context: 'c',
      owner: 'ada',
      labels: { team: 'a' },
      attributes: { any: [1] },
      outcome: 'completed',
      findings: 3,
      agent: { id: 'agent' },
      dialect: 'aaep',
      title: 't',
    })
    for (const info of [createInfo({}), full]) {
      const resource = toResource({ ...head, endedAt: undefined, info: fromInfo(info) })
      expect(check?.(resource), JSON.stringify(check?.errors)).toBe(true)
    }
  })

  test.each([
    ['A session resource:', 'Session'],
    ['An input is:', 'Input'],
    ['A page of the outline is:', 'Outline'],
    ['A caller is:', 'Caller'],
    ['A question is:', 'Question'],
    ['An agent is:', 'Agent'],
    ['A run is asked for with:', 'RunRequest'],
  ])('has the fields that the page tells behind "%s"', (start, name) => {
    const { properties = {}, required = [] } = document.components.schemas[name] as {
      properties?: object
      required?: readonly string[]
    } // an object with fields
    const told = fieldsBehind(start)
    expect(told.map((field) => field.replace('?', '')).toSorted()).toEqual(Object.keys(properties).toSorted())
    const optional = told.filter((field) => field.endsWith('?')).map((field) => field.slice(0, -1))
    for (const field of required) expect(optional).not.toContain(field)
  })

  test('takes the answer that the page shows', () => {
    const [, example = ''] = /```json\n(\{ "accepted"[^\n]*)\n```/.exec(page) ?? []
    const check = createValidator().getSchema('openapi#/components/schemas/Receipt')
    expect(check?.(JSON.parse(example)), JSON.stringify(check?.errors)).toBe(true)
    expect(check?.({ ...JSON.parse(example), cursor: 'x' })).toBe(false)
  })
})

test('createOpenApi() reads the paths of Fastify', async () => {
  const schema = { operationId: 'get' }
  const urls = ['/v1/sessions/:id/entries/:seq(^\\d+$)', '/schemas/:dialect/:name.json']
  const made = await createOpenApi(
    urls.map((url) => ({ method: 'GET', url, schema })),
    '1.2.3',
  )
  expect(made).toHaveProperty(['paths', '/v1/sessions/{id}/entries/{seq}', 'get'])
  expect(made).toHaveProperty(['paths', '/schemas/{dialect}/{name}.json', 'get'])
})

test('createOpenApi() tells which bodies may be missing', () => {
  const optional = operations
    .filter(({ requestBody }) => requestBody?.required === false)
    .map(({ operationId }) => operationId)
  expect(optional.toSorted()).toEqual(['cancelSession', 'createSession', 'endSession', 'login'])
})

describe('the official schema of OpenAPI 3.1', () => {
  const validate = (given: object) => new Validator().validate(JSON.parse(JSON.stringify(given)))

  test('takes the document', async () => {
    expect(await validate(document)).toMatchObject({ valid: true })
  })

  test('refuses a document with a mistake', async () => {
    const { info: _info, ...rest } = document
    expect(await validate(rest)).toMatchObject({ valid: false })
  })
})

test('a generator makes types of it that compile', { timeout: 120_000 }, async () => {
  const source = await generateTypes(JSON.parse(JSON.stringify(document)))
  const folder = mkdtempSync(join(tmpdir(), 'sluice-openapi-'))
  try {
    const file = join(folder, 'api.ts')
    const use = `const path: keyof paths = '/v1/sessions/{id}/events'\nexport default path\n`
    writeFileSync(file, `${source}\n${use}`)
    const tsc = fileURLToPath(new URL('../../../../../node_modules/.bin/tsc', import.meta.url))
    const { stdout, status } = spawnSync(tsc, ['--ignoreConfig', '--noEmit', '--strict', file], {
      encoding: 'utf8',
    })
    expect(stdout).toBe('')
    expect(status).toBe(0)
  } finally {
    rmSync(folder, { recursive: true })
  }
})
