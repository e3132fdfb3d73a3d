import fc from 'fast-check'
import { expect, test } from 'vitest'
import { runs } from '../../../testing/runs.ts'
import { toolKindOf, toSpokenTool } from './tool-kind.ts'
import { toolNames } from './tool-names.ts'

test.each([
  ['Bash', 'run-command'],
  ['run_shell_command', 'run-command'],
  ['command_execution', 'run-command'],
  ['developer__shell', 'run-command'],
  ['container.exec', 'run-command'],
  ['BashOutput', 'read-output'],
  ['Read', 'read-file'],
  ['read_many_files', 'read-files'],
  ['mcp__filesystem__read_text_file', 'read-file'],
  ['MultiEdit', 'edit-file'],
  ['apply_patch', 'edit-file'],
  ['LS', 'list-files'],
  ['Grep', 'search-files'],
  ['search_file_content', 'search-files'],
  ['WebSearch', 'search-web'],
  ['google_web_search', 'search-web'],
  ['tavily-search', 'search-web'],
  ['WebFetch', 'fetch-page'],
  ['TodoWrite', 'plan'],
  ['update_plan', 'plan'],
  ['Task', 'delegate'],
  ['collab_tool_call', 'delegate'],
  ['run_tests', 'run-tests'],
  ['ci/run-tests', 'run-tests'],
  ['mcp__gmail__sendEmail', 'send-mail'],
  ['postgres.query', 'query-database'],
  ['github/create_pull_request', 'open-pull-request'],
  ['getWeather', 'look-up-weather'],
])('%s is known: %s', (name, kind) => {
  expect(toolKindOf(name)).toBe(kind)
})

test.each([
  ['book_ticket', 'book ticket'],
  ['mcp:rail/search', 'search'],
  ['inbox.list', 'list'],
  ['cancel_send_email', 'cancel send email'],
  ['mcp__jira__transitionIssue', 'transition issue'],
  ['HTTPServerStart', 'http server start'],
  ['天气查询', '天气查询'],
  ['__', ''],
  ['', ''],
])('%s is not, and is said as "%s"', (name, spoken) => {
  expect(toolKindOf(name)).toBeUndefined()
  expect(toSpokenTool(name)).toBe(spoken)
})

test('every name in the list stands for one kind, and finds it', () => {
  const names = Object.values(toolNames).flatMap((list) => list.split(' '))
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([])
  for (const [kind, list] of Object.entries(toolNames))
    for (const name of list.split(' ')) expect(toolKindOf(name), name).toBe(kind)
})

test('any name is said in words or not at all', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 400 }), (name) => {
      expect(toSpokenTool(name)).toMatch(/^(?:[\p{L}\p{M}\p{N}]+(?: [\p{L}\p{M}\p{N}]+)*)?$/u)
    }),
    { numRuns: runs(300) },
  )
})
