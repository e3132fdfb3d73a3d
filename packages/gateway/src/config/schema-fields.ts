import Type, { type TProperties, type TSchema } from 'typebox'
import { bytesPattern, durationPattern } from './units.ts'

/** A section of the configuration, which allows no other keys. */
export const section = <Fields extends TProperties>(description: string, fields: Fields) =>
  Type.Object(fields, { additionalProperties: false, description })

export const text = (description: string) => Type.String({ minLength: 1, description })

export const count = (description: string, minimum = 1, maximum = 1_000_000_000) =>
  Type.Integer({ minimum, maximum, description })

/** In files, a number of bytes or a text such as `64MiB`; after loading, always a number. */
export const bytes = (description: string, minimum = 1) =>
  Type.Unsafe<number>({
    anyOf: [
      { type: 'integer', minimum, maximum: Number.MAX_SAFE_INTEGER },
      { type: 'string', pattern: bytesPattern },
    ],
    description,
  })

/** In files, a number of milliseconds or a text such as `30s`; after loading, always a number. */
export const duration = (description: string, minimum = 1, maximum = 2 ** 31 - 1) =>
  Type.Unsafe<number>({
    anyOf: [
      { type: 'integer', minimum, maximum },
      { type: 'string', pattern: durationPattern },
    ],
    description,
  })

/** Members of one form, under names that the user chooses. */
export const map = <Member extends TSchema>(description: string, namePattern: string, member: Member) =>
  Type.Unsafe<Record<string, Type.Static<Member>>>({
    type: 'object',
    propertyNames: { pattern: namePattern },
    additionalProperties: member,
    description,
  })
