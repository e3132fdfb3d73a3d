import { membersOf, type SchemaNode } from './settings.ts'

/** What a setting accepts, in words. */
export function describeExpectation(node: SchemaNode, name: string): string {
  if (node.enum !== undefined) return `one of ${node.enum.join(', ')}`
  const amount = node.anyOf?.find(({ type }) => type === 'integer')
  if (amount !== undefined) {
    const unit = isDuration(name)
      ? ['a duration such as 30s', 'milliseconds']
      : ['a size such as 64MiB', 'bytes']
    return `${unit[0]} or a number of ${unit[1]}${describeRange(amount)}`
  }
  if (node.type === 'integer') return `a whole number${describeRange(node)}`
  if (node.type === 'boolean') return 'true or false'
  if (node.type === 'array') return 'a list'
  if (membersOf(node) !== undefined) return 'an object'
  if (node.properties !== undefined)
    return `an object with ${Object.keys(node.properties).join(', ')} as its keys`
  if (node.pattern !== undefined && node.description !== undefined)
    return `a text of the form ${node.pattern} (${node.description.replace(/\.$/, '')})`
  return 'a text that is not empty'
}

/** The names of settings end with their unit. */
export function isDuration(name: string): boolean {
  return name.endsWith('Ms')
}

function describeRange({ minimum = 0, maximum = Number.MAX_SAFE_INTEGER }: SchemaNode): string {
  return maximum === Number.MAX_SAFE_INTEGER ? `, at least ${minimum}` : ` from ${minimum} to ${maximum}`
}
