/** The extensions of a request that more than one agent has. Each is also the id of a capability. */
export { addDirsKey } from '@sluice/protocol'
export const modelKey = 'agent_api.config.model.v1'
export const nonInteractiveKey = 'agent_api.exec.non_interactive'
export const externalSandboxKey = 'agent_api.exec.external_sandbox.v1'
export const resumeKey = 'agent_api.session.resume.v1'
export const forkKey = 'agent_api.session.fork.v1'
