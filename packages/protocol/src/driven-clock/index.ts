export { createDrivenClock, type DrivenClock } from './driven-clock.ts'
