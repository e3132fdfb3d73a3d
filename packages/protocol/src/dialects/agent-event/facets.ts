import type { Finding } from '../../finding.ts'
import { breach } from '../../finding.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../json.ts'
import { createChecker } from '../../schemas/check.ts'
import { exceedsUtf8 } from './bounds.ts'
import { agentEventRules } from './sequence.ts'
import { sessionFacetSchema, toolsFacetSchema } from './wire.ts'

const maxSessionIdBytes = 1024
const toolsFacet = toolsFacetSchema.properties.schema.const
const sessionFacet = sessionFacetSchema.properties.schema.const
const toolsChecker = createChecker(toolsFacetSchema, agentEventRules.brokenFacet.source)
const sessionChecker = createChecker(sessionFacetSchema, agentEventRules.brokenFacet.source)

export interface FacetCheck {
  readonly findings: readonly Finding[]
  readonly exact: boolean
}

const sound: FacetCheck = { findings: [], exact: true }

/** Checks the form of data that names a facet. */
export function checkFacet(data: JsonValue | undefined): FacetCheck {
  if (!isJsonObject(data)) return sound
  if (data['schema'] === toolsFacet) {
    if (toolsChecker.isExact(data)) return sound
    return toolsChecker.findings(data).length === 0 ? { findings: [], exact: false } : broken
  }
  if (data['schema'] !== sessionFacet) return sound
  if (!sessionChecker.isExact(data)) return broken
  const { id } = data['session'] as { readonly id: string } // just checked
  return /\P{White_Space}/u.test(id) && !exceedsUtf8(id, maxSessionIdBytes) ? sound : broken
}

const broken: FacetCheck = { findings: [breach(agentEventRules.brokenFacet, '/data')], exact: false }

/** The agent's own session, if `data` is the facet for it. */
export function readHandle(data: JsonValue | undefined): string | undefined {
  if (!isJsonObject(data) || data['schema'] !== sessionFacet || checkFacet(data) !== sound) return undefined
  return (data['session'] as { readonly id: string }).id // just checked
}

/** The facet for the agent's own session; undefined for an id that it cannot hold. */
export function toSessionFacet(id: string | undefined): JsonObject | undefined {
  if (id === undefined || !/\P{White_Space}/u.test(id) || exceedsUtf8(id, maxSessionIdBytes)) return undefined
  return { schema: sessionFacet, session: { id: id.toWellFormed() } }
}

/** What a frame says about its tool: in the facet, or in the fields that backends without it use. */
export interface ToolReading {
  readonly id?: string | undefined
  /** The tool's name in the frame; absent if there is only the facet's general kind. */
  readonly name?: string | undefined
  readonly kind?: string | undefined
  readonly phase?: string | undefined
  readonly status?: string | undefined
  readonly exitCode?: number | undefined
}

/** A frame without data says nothing about its tool. */
export const bareTool: ToolReading = {}

export function readTool(data: JsonValue | undefined): ToolReading {
  if (!isJsonObject(data)) return {}
  const tool = isJsonObject(data['tool']) ? data['tool'] : data
  const exitCode = tool['exit_code']
  return {
    id: textOf(tool, 'tool_use_id') ?? textOf(tool, 'backend_item_id') ?? textOf(tool, 'tool_id'),
    name: textOf(tool, 'tool_name'),
    kind: textOf(tool, 'kind'),
    phase: textOf(tool, 'phase'),
    status: textOf(tool, 'status'),
    exitCode: Number.isSafeInteger(exitCode) ? (exitCode as number) : undefined, // just checked
  }
}

function textOf(object: JsonObject, key: string): string | undefined {
  const value = object[key]
  return typeof value === 'string' ? value : undefined
}
