import type { Rule } from '../finding.ts'

/** The rules of a stream in every version. */
export const a2aRules = {
  notStreamEvent: {
    code: 'not_a_stream_event',
    source: 'A2A 0.3 §7.2, 1.0 §3.2.3',
    verdict: 'finding',
    sentence: 'The frame is neither a task, a message, a status update nor an artifact update.',
  },
  taskFirst: {
    code: 'task_first',
    source: 'A2A 1.0 §3.1.2',
    verdict: 'finding',
    sentence: 'A stream begins with its task, or is a single message of the agent.',
  },
  taskChanged: {
    code: 'task_changed',
    source: 'A2A 0.3 §7.2, 1.0 §3.1.2',
    verdict: 'finding',
    sentence: 'All events of a stream belong to one task.',
  },
  contextChanged: {
    code: 'context_changed',
    source: 'A2A 1.0 §3.4.1',
    verdict: 'finding',
    sentence: 'All events of a task belong to one context.',
  },
  appendToUnknown: {
    code: 'append_to_unknown_artifact',
    source: 'A2A 0.3 §7.2.3, 1.0 §4.2.2',
    verdict: 'finding',
    sentence: 'The first update of an artifact does not append.',
  },
  appendAfterEnd: {
    code: 'append_after_end',
    source: 'stream_delta profile, Artifact Reconstruction; A2A 1.0 §4.2.2',
    verdict: 'finding',
    sentence: 'Text is not appended to an artifact that was finalized or had its last chunk.',
  },
  lastChunkTruncates: {
    code: 'last_chunk_truncates',
    source: 'A2A 1.0 §4.2.2',
    verdict: 'finding',
    sentence: 'A last chunk that does not append holds the whole artifact, not only its tail.',
  },
  finalTextDiffers: {
    code: 'final_text_differs',
    source: 'stream_delta profile, Final Complete Message',
    verdict: 'finding',
    sentence: 'The final message of an artifact repeats the text that was streamed.',
  },
  badTimestamp: {
    code: 'bad_timestamp',
    source: 'A2A 0.3 §6.2, 1.0 §5.6.1',
    verdict: 'finding',
    sentence: 'A timestamp is a date and time as RFC 3339 writes it.',
  },
  carriedContradicts: {
    code: 'carried_contradicts',
    source: 'Sluice decision 0005',
    verdict: 'finding',
    sentence: 'Carried data agrees with the fields of its frame; otherwise it is ignored.',
  },
} as const satisfies Record<string, Rule>
