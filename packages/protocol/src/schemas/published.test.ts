import { readdirSync, readFileSync } from 'node:fs'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, test } from 'vitest'
import { dialects } from '../dialects/index.ts'
import { richSession } from '../testing/rich-session.ts'
import { encodeSession, entriesOf } from '../testing/sessions.ts'
import { schemas } from './index.ts'

const draft = 'https://json-schema.org/draft/2020-12/schema'
const all = Object.entries(schemas).flatMap(([dialect, named]) =>
  Object.entries(named).map(([name, schema]) => ({
    dialect,
    name,
    schema: schema as Record<string, unknown>,
  })),
)

/** A validator other than the one that Sluice uses. Patterns in our schemas check the formats. */
function createValidator(): Ajv2020 {
  return new Ajv2020({ strict: false, validateFormats: false })
}

describe('the published schemas', () => {
  test.each(all)(
    '$dialect/$name is JSON Schema 2020-12 with an id of its own',
    ({ dialect, name, schema }) => {
      expect(schema).toMatchObject({ $schema: draft, $id: `urn:sluice:schema:${dialect}:${name}` })
      expect(schema['title']).toEqual(expect.any(String))
      expect(schema['description']).toEqual(expect.any(String))
      const validator = createValidator()
      expect(validator.validateSchema(schema), JSON.stringify(validator.errors)).toBe(true)
      expect(JSON.parse(JSON.stringify(schema))).toEqual(schema)
      validator.compile(schema)
    },
  )

  test('have ids that occur once', () => {
    const ids = all.map(({ schema }) => schema['$id'])
    expect(new Set(ids).size).toBe(ids.length)
  })
})

describe.each(dialects)(
  'another validator finds every frame of $id valid by a schema of it',
  ({ id, schemas: own, encode }) => {
    const validator = createValidator()
    const checks = Object.values(own).map((schema) => validator.compile(schema))
    const dialect = dialects.find((candidate) => candidate.encode === encode)
    const fixtures = new URL(`../dialects/${id}/fixtures/`, import.meta.url)
    const names = readdirSync(fixtures).filter(
      (name) => name.endsWith('.ndjson') && !name.startsWith('broken-'),
    )

    test.each(names)('%s', (name) => {
      const lines = readFileSync(new URL(name, fixtures), 'utf8').split('\n').filter(Boolean)
      for (const line of lines)
        expect(
          checks.some((check) => check(JSON.parse(line))),
          line.slice(0, 200),
        ).toBe(true)
    })

    test('of a session of another dialect', () => {
      const session = entriesOf(richSession)
      if (dialect === undefined) throw new Error('the dialect is in the list')
      for (const { data } of encodeSession(dialect, session.state, session.entries))
        expect(
          checks.some((check) => check(JSON.parse(data))),
          data.slice(0, 200),
        ).toBe(true)
    })
  },
)
