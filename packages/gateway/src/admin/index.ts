export {
  addSigningKey,
  listSigningKeys,
  type PublicJwks,
  removeSigningKey,
  rotateSigningKeys,
  type SigningKey,
  signingKeyFileOf,
  toJwks,
} from '../aaep/signing-key-file.ts'
export { isLoopbackHost, keyFileOf } from '../auth/binding.ts'
export { grantForm, parseGrant } from '../auth/grants.ts'
export { addKey, type KeyRecord, listKeys, type NewKey, revokeKey } from '../auth/key-file.ts'
export { ensureLocalKey } from '../auth/local-key.ts'
export { editPrivateFile } from '../auth/private-file.ts'
export { rotateSecrets } from '../auth/secrets.ts'
export type { AgentConfig, GatewayConfig } from '../config/config.ts'
export { readConfigFileText } from '../config/config-file.ts'
export type { ConfigSources } from '../config/layers.ts'
export { loadConfig } from '../config/load-config.ts'
export { configSchema } from '../config/published-schema.ts'
export { settings } from '../config/settings.ts'
export { formatBytes, formatDuration, parseBytes, parseDuration } from '../config/units.ts'
