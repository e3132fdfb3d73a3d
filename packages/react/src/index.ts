export type { Utterance } from './announcer/announcement-list.ts'
export type { AnnouncementTerms } from './announcer/announcement-terms.ts'
export { Announcer, type AnnouncerHandle, type AnnouncerProps } from './announcer/announcer.tsx'
export {
  type Announced,
  type UseAnnouncementsOptions,
  useAnnouncements,
} from './announcer/use-announcements.ts'
export type { PastView } from './past/session-past.ts'
export { useSessionAt } from './past/use-session-at.ts'
export { type AnswerWay, type AnswerWays, answerWays } from './question/answer-ways.ts'
export { describeClose, isClaimed } from './question/describe-close.ts'
export { Question, type QuestionProps } from './question/question.tsx'
export { englishQuestionLabels, type QuestionLabels } from './question/question-labels.ts'
export type { EntryListener } from './session/session-store.ts'
export type { QuestionView, SessionConnection, SessionView, TextView } from './session/session-view.ts'
export { SluiceProvider, type SluiceProviderProps, useClient } from './sluice-provider.tsx'
export { toSluiceError } from './to-sluice-error.ts'
export {
  type SessionActions,
  type UseSessionOptions,
  useSession,
  useSessionActions,
  useSessionEntries,
} from './use-session.ts'
