import Type from 'typebox'

/** The schema of AAEP messages of these types. Its description names the published schemas. */
export const toMessageSchema = (...types: readonly string[]): Type.TSchema =>
  Type.Object(
    { type: Type.Enum([...types]) },
    { description: types.map((type) => `/schemas/aaep/${type}.json`).join(' or ') },
  )
