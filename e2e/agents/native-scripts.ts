import type { Lines, ScriptedTool } from '../../packages/agents/src/testing/cli-script.ts'

/** What a command-line agent prints, in its own format. */
export interface NativeScript {
  readonly type: string
  /** The id of its own session, and the arguments that resume it; absent if it cannot resume. */
  readonly session?: { readonly id: string; readonly args: readonly string[] }
  /** The first lines. Programs that repeat the prompt repeat it here. */
  begin(prompt: string): Lines
  tools(tools: readonly ScriptedTool[]): Lines
  text(text: string): Lines
  readonly success: Lines
}

const claudeSession = '2f3d5565-e00e-474d-ac7a-a6e275e68480'
const inClaude = { session_id: claudeSession, parent_tool_use_id: null }
const claudeSays = (id: string, content: readonly unknown[]): unknown => ({
  type: 'assistant',
  message: { id, role: 'assistant', model: 'claude-opus-5-5', content },
  ...inClaude,
})
const claudeTool = ({ id, input }: ScriptedTool): unknown =>
  claudeSays('calls', [{ type: 'tool_use', id, name: 'Bash', input: { command: input } }])

/** Claude Code asks whether a tool may run. */
export function claudeAsks(tool: ScriptedTool): Lines {
  const { id, input } = tool
  return [
    claudeTool(tool),
    {
      type: 'control_request',
      request_id: `ask-${id}`,
      request: { subtype: 'can_use_tool', tool_name: 'Bash', input: { command: input }, tool_use_id: id },
    },
  ]
}

export const claudeScript: NativeScript = {
  type: 'claude_code',
  session: { id: claudeSession, args: [`--resume=${claudeSession}`] },
  begin: (prompt) => [
    { type: 'system', subtype: 'init', session_id: claudeSession, model: 'claude-opus-5-5' },
    { type: 'user', message: { role: 'user', content: prompt }, isReplay: true, ...inClaude },
  ],
  tools: (tools) => [
    ...tools.map(claudeTool),
    ...tools.map(({ id, output, ok }) => ({
      type: 'user',
      message: {
        role: 'user',
        content: [{ type: 'tool_result', tool_use_id: id, content: output, is_error: !ok }],
      },
      tool_use_result: output,
      ...inClaude,
    })),
  ],
  text: (text) => [claudeSays('m1', [{ type: 'text', text }])],
  success: [
    {
      type: 'result',
      subtype: 'success',
      is_error: false,
      result: 'Done.',
      usage: { input_tokens: 10, output_tokens: 7 },
    },
  ],
}

const thread = '0199a213-81c0-7800-8aa1-bbab2a035a53'

const codexScript: NativeScript = {
  type: 'codex',
  session: { id: thread, args: ['resume', '--', thread] },
  begin: () => [{ type: 'thread.started', thread_id: thread }, { type: 'turn.started' }],
  tools: (tools) => {
    const item = ({ id, input }: ScriptedTool) => ({ id, type: 'command_execution', command: input })
    return [
      ...tools.map((tool) => ({ type: 'item.started', item: { ...item(tool), status: 'in_progress' } })),
      ...tools.map((tool) => ({
        type: 'item.completed',
        item: {
          ...item(tool),
          aggregated_output: tool.output,
          exit_code: tool.ok ? 0 : 1,
          status: tool.ok ? 'completed' : 'failed',
        },
      })),
    ]
  },
  text: (text) => [{ type: 'item.completed', item: { id: 'm1', type: 'agent_message', text } }],
  success: [{ type: 'turn.completed', usage: { input_tokens: 22, output_tokens: 14 } }],
}

const timestamp = '2026-04-21T12:00:00.000Z'

const geminiScript: NativeScript = {
  type: 'gemini_cli',
  session: { id: 'gemini-1', args: ['--resume=gemini-1'] },
  begin: (prompt) => [
    { type: 'init', timestamp, session_id: 'gemini-1', model: 'gemini-pro' },
    { type: 'message', timestamp, role: 'user', content: prompt },
  ],
  tools: (tools) => [
    ...tools.map(({ id, input }) => ({
      type: 'tool_use',
      timestamp,
      tool_name: 'run_shell_command',
      tool_id: id,
      parameters: { command: input },
    })),
    ...tools.map(({ id, output, ok }) => ({
      type: 'tool_result',
      timestamp,
      tool_id: id,
      ...(ok ? { status: 'success', output } : { status: 'error', error: { type: 'x', message: output } }),
    })),
  ],
  text: (content) => [{ type: 'message', timestamp, role: 'assistant', content, delta: true }],
  success: [{ type: 'result', timestamp, status: 'success', stats: { input_tokens: 4, output_tokens: 6 } }],
}

const inOpencode = (type: string, part: object) => ({ type, timestamp: 1, sessionID: 'ses_1', part })

const opencodeScript: NativeScript = {
  type: 'opencode',
  session: { id: 'ses_1', args: ['--session=ses_1'] },
  begin: () => [inOpencode('step_start', { id: 'prt_s', messageID: 'm1', type: 'step-start' })],
  tools: (tools) =>
    tools.map(({ id, input, output, ok }) => {
      const ended = ok
        ? { status: 'completed', output, title: input, metadata: { exit: 0, output } }
        : { status: 'error', error: output }
      const state = { input: { command: input }, time: { start: 1, end: 2 }, ...ended }
      return inOpencode('tool_use', { id: `prt_${id}`, type: 'tool', callID: id, tool: 'bash', state })
    }),
  text: (text) => [inOpencode('text', { id: 'prt_m1', messageID: 'm1', type: 'text', text })],
  success: [
    inOpencode('step_finish', {
      id: 'prt_f',
      type: 'step-finish',
      reason: 'stop',
      cost: 0.001,
      tokens: { input: 10, output: 3, reasoning: 0, cache: { read: 0, write: 0 } },
    }),
  ],
}

const aiderScript: NativeScript = {
  type: 'aider',
  begin: () => ['Aider v0.86.1', 'Model: gpt-4o with whole edit format', '', '> . . ', ''],
  // Aider reports what it did, but not the result.
  tools: (tools) => [
    'I edit.',
    '',
    'Tokens: 2.4k sent, 12 received.',
    ...tools.map(({ input }) => `Applied edit to ${input}`),
  ],
  text: (text) => [text, '', 'Tokens: 2.4k sent, 12 received.'],
  success: [],
}

/** Every command-line agent. */
export const nativeScripts: readonly NativeScript[] = [
  claudeScript,
  codexScript,
  geminiScript,
  opencodeScript,
  aiderScript,
]
