import type { CliCommand } from '../cli/cli-agent.ts'
import type { CheckedRequest, Selector } from '../request/checked-request.ts'
import { approvalPolicyKey, sandboxModeKey } from '../request/codex-policy.ts'

/**
 * How codex is started. Options precede the subcommand, which does not know all of them. Each value is in one
 * argument with its option, so that no value is read as an option.
 */
export function toCommand(request: CheckedRequest): CliCommand {
  const { prompt, model, addDirs } = request
  return {
    args: [
      'exec',
      '--json',
      '--color=never',
      '--skip-git-repo-check',
      ...toProtection(request),
      ...(model === undefined ? [] : [`--model=${model}`]),
      ...addDirs.map((dir) => `--add-dir=${dir}`),
      ...toSession(request),
      // Makes codex read the prompt, and nothing else, from standard input.
      '-',
    ],
    stdin: prompt,
    keepsStdin: false,
  }
}

function toProtection({ externalSandbox, nonInteractive, own }: CheckedRequest): readonly string[] {
  if (externalSandbox) return ['--dangerously-bypass-approvals-and-sandbox']
  const approval = own[approvalPolicyKey] ?? (nonInteractive ? 'never' : undefined)
  return [
    `--sandbox=${own[sandboxModeKey] ?? 'workspace-write'}`,
    // `exec` has no option for it.
    ...(approval === undefined ? [] : [`--config=approval_policy=${JSON.stringify(approval)}`]),
  ]
}

function toSession({ resume, fork }: CheckedRequest): readonly string[] {
  if (resume !== undefined) return ['resume', ...toSelection(resume)]
  if (fork !== undefined) return ['fork', ...toSelection(fork)]
  return []
}

function toSelection(selector: Selector): readonly string[] {
  return selector.selector === 'last' ? ['--last'] : ['--', selector.id]
}
