export { Announcer } from '@sluice/react'
