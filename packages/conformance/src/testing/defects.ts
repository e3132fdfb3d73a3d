import type { Defect } from './defect.ts'
import { eventDefects } from './event-defects.ts'
import { questionDefects } from './question-defects.ts'
import { termsDefects } from './terms-defects.ts'

/** One defect for each check. */
export const defects: readonly Defect[] = [...eventDefects, ...questionDefects, ...termsDefects]
