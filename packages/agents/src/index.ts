export { endLeftGroup } from './process/end-left-group.ts'
