import { testDialect } from '../../testing/test-dialect.ts'
import { sluice } from './index.ts'

testDialect(sluice, { fixtures: new URL('./fixtures/', import.meta.url) })
