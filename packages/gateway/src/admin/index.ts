export { keyFileOf } from '../access/binding.ts'
export { grantForm, parseGrant } from '../access/grants.ts'
export { addKey, type KeyRecord, listKeys, type NewKey, revokeKey } from '../access/key-file.ts'
export { ensureLocalKey } from '../access/local-key.ts'
export { editPrivateFile } from '../access/private-file.ts'
export { rotateSecrets } from '../access/secrets.ts'
export type { AgentConfig, GatewayConfig } from '../config/config.ts'
export { readConfigFileText } from '../config/config-file.ts'
export type { ConfigSources } from '../config/layers.ts'
export { loadConfig } from '../config/load-config.ts'
export { isLoopbackHost } from '../config/loopback-host.ts'
export { configSchema } from '../config/published-schema.ts'
export { settings } from '../config/settings.ts'
export { parseBytes, parseDuration } from '../config/units.ts'
export {
  addSigningKey,
  listSigningKeys,
  type PublicJwks,
  removeSigningKey,
  rotateSigningKeys,
  type SigningKey,
  signingKeyFileOf,
  toJwks,
} from '../features/aaep/signing-key-file.ts'
