/** The tables of a store. `tail` has rows only in a store of format 1. */
export const tableNames = [
  'meta',
  'tail',
  'records',
  'heads',
  'order',
  'ended',
  'marks',
  'checkpoints',
  'deleted',
] as const
export type TableName = (typeof tableNames)[number]
