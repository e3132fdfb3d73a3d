/** The capabilities of every agent here: its events arrive while it runs, and it can be cancelled. */
export const runCapabilities = [
  'agent_api.run',
  'agent_api.events',
  'agent_api.events.live',
  'agent_api.control.cancel.v1',
] as const

/** The capabilities of an agent that also reports its session, its tools and its final text. */
export const fullCapabilities = [
  ...runCapabilities,
  'agent_api.session.handle.v1',
  'agent_api.tools.structured.v1',
  'agent_api.tools.results.v1',
  'agent_api.artifacts.final_text.v1',
] as const
