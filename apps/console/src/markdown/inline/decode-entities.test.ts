import { expect, test } from 'vitest'
import { decodeEntities } from './decode-entities.ts'

test.each([
  ['a & b', 'a & b'],
  ['&amp;&lt;&copy;', '&<©'],
  ['&amp;lt;', '&lt;'],
  ['&#65;&#x41;&#X1f600;', 'AA😀'],
  ['&#0;&#xd800;&#1114112;', '\ufffd\ufffd\ufffd'],
  ['&unknown; &constructor; &__proto__; &amp', '&unknown; &constructor; &__proto__; &amp'],
  ['a=1&copy=2', 'a=1&copy=2'],
])('decodeEntities(%j)', (text, expected) => expect(decodeEntities(text)).toBe(expected))
