import Type, { type TObjectOptions } from 'typebox'

function about(name: string, description: string): TObjectOptions {
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $id: `urn:sluice:schema:toy:${name}`,
    title: `Toy ${name}`,
    description,
  }
}

const carried = Type.Optional(Type.Record(Type.String(), Type.Unknown()))

export const saySchema = Type.Object(
  {
    say: Type.String(),
    output: Type.Optional(Type.String()),
    thought: Type.Optional(Type.Boolean()),
    contentType: Type.Optional(Type.String()),
    language: Type.Optional(Type.String()),
  },
  about('say', 'A piece of text (Toy §1).'),
)

export const noteSchema = Type.Object(
  { note: Type.String(), sluice: carried },
  about('note', 'A remark (Toy §2).'),
)

export const doneSchema = Type.Object(
  { done: Type.Enum(['completed', 'failed', 'cancelled', 'rejected']), sluice: carried },
  about('done', 'The end of the session (Toy §3).'),
)

export const toySchema = Type.Union([saySchema, noteSchema, doneSchema])
export type ToyFrame = Type.Static<typeof toySchema>
