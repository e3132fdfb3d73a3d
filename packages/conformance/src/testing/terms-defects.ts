import type { JsonObject } from '@sluice/protocol'
import type { Behaviour } from './behaviour.ts'
import { type Defect, without } from './defect.ts'

const honor = (fields: JsonObject): Partial<Behaviour> => ({
  accept: (accepted, request) => ({
    ...accepted,
    honored_capabilities: { ...(request['capabilities'] as JsonObject), x_conformance: {}, ...fields }, // sent by the suite
  }),
})

/** Defects of the handshake, of terms and of resumption. */
export const termsDefects: readonly Defect[] = [
  {
    check: 'L3-NEG-001',
    says: 'accepts without a version',
    behaviour: { accept: (it) => without(it, 'aaep_version') },
  },
  { check: 'L3-NEG-002', says: 'honours more languages', behaviour: honor({ languages: ['en-US', 'de'] }) },
  { check: 'L3-NEG-003', says: 'takes any version', behaviour: { overlooks: 'version_unsupported' } },
  {
    check: 'L3-NEG-004',
    says: 'is silent about nonsense',
    behaviour: { reject: (it) => (it['reason_code'] === 'unknown' ? undefined : it) },
  },
  {
    check: 'L3-NEG-005',
    says: 'takes any capability',
    behaviour: { overlooks: 'capabilities_incompatible' },
  },
  {
    check: 'L3-NEG-006',
    says: 'gives no message',
    behaviour: { reject: (it) => without(it, 'reason_message') },
  },
  { check: 'L3-NEG-007', says: 'rejects what it does not know', behaviour: { isNarrowMinded: true } },
  {
    check: 'L3-NEG-008',
    says: 'has no signature',
    behaviour: { accept: (it) => without(it, 'signed_manifest') },
  },
  { check: 'L3-CRIT-001', says: 'filters critical events', behaviour: { filtersCriticals: true } },
  { check: 'L3-CRIT-002', says: 'holds critical events', behaviour: { holdsCriticals: true } },
  { check: 'L3-FILT-001', says: 'ignores filters', behaviour: { ignoresFilters: true } },
  { check: 'L3-FILT-002', says: 'filters too much', behaviour: { filtersTools: true } },
  { check: 'L3-ORD-001', says: 'changes the order', behaviour: { swapsToolEvents: true } },
  { check: 'L3-ISO-001', says: 'holds all for one', behaviour: { holdsAllForTheSlow: true } },
  { check: 'L3-RATE-001', says: 'keeps no rate', behaviour: { keepsNoRate: true } },
  { check: 'L3-RATE-002', says: 'loses text', behaviour: { losesJoinedText: true } },
  { check: 'L3-RATE-003', says: 'claims completion', behaviour: { claimsCompletion: true } },
  { check: 'L3-REN-001', says: 'ignores a renegotiation', behaviour: { ignoresRenegotiation: true } },
  { check: 'L3-REN-002', says: 'keeps the old terms', behaviour: { keepsOldTerms: true } },
  { check: 'L3-CLOSE-001', says: 'goes on when closed', behaviour: { ignoresClose: true } },
  { check: 'L3-RES-001', says: 'loses events', behaviour: { losesOnResume: true } },
  { check: 'L3-RES-002', says: 'repeats events', behaviour: { repeatsOnResume: true } },
  { check: 'L3-RES-003', says: 'does not tell the state', behaviour: { hidesState: true } },
  { check: 'L3-MAN-001', says: 'has no manifest', behaviour: { manifest: () => undefined } },
  {
    check: 'L3-MAN-002',
    says: 'has the manifest of another',
    behaviour: { manifest: (it) => ({ ...it, agent_id: 'another' }) },
  },
  { check: 'L3-MAN-003', says: 'fakes its signature', behaviour: { signsWithAnotherKey: true } },
  {
    check: 'L3-MAN-004',
    says: 'signs the manifest of another',
    behaviour: { claims: (it) => ({ ...it, agent_id: 'another' }) },
  },
]
