import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { JsonObject } from '@sluice/protocol'

/** The command-line agents, by the name of their program. */
export type CliName = 'claude' | 'codex' | 'gemini' | 'opencode'

/** A place in which a command-line agent knows only the model stub: its home and its working directory. */
export interface CliHome {
  /** Contains everything else. */
  readonly folder: string
  readonly home: string
  readonly work: string
  /** All environment variables of the agent. */
  readonly env: Readonly<Record<string, string>>
  remove(): void
}

/** Makes such a place. Telemetry, updates and everything else that would leave the machine is off. */
export function createCliHome(cli: CliName, modelUrl: string): CliHome {
  const folder = mkdtempSync(join(tmpdir(), `sluice-real-${cli}-`))
  const home = join(folder, 'home')
  const work = join(folder, 'work')
  const temporary = join(folder, 'tmp')
  mkdirSync(work, { recursive: true })
  mkdirSync(temporary)
  const { env, files } = settingsOf[cli](modelUrl)
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(home, name)), { recursive: true })
    writeFileSync(join(home, name), text)
  }
  return {
    folder,
    home,
    work,
    env: {
      PATH: process.env['PATH'] ?? '',
      LANG: 'C.UTF-8',
      TMPDIR: temporary,
      HOME: home,
      XDG_CONFIG_HOME: join(home, '.config'),
      XDG_DATA_HOME: join(home, '.local/share'),
      XDG_STATE_HOME: join(home, '.local/state'),
      XDG_CACHE_HOME: join(home, '.cache'),
      ...env,
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}

/** The folders of a place, each with a name that reveals nothing about the machine. */
export function cliHomeFolders({ home, work }: CliHome): readonly (readonly [path: string, name: string])[] {
  return [
    [work, '/workspace'],
    [home, '/user'],
  ]
}

interface CliSettings {
  readonly env: Readonly<Record<string, string>>
  /** By path in the home. */
  readonly files: Readonly<Record<string, string>>
}

const settingsOf: Readonly<Record<CliName, (modelUrl: string) => CliSettings>> = {
  claude: (modelUrl) => ({
    env: {
      ANTHROPIC_BASE_URL: modelUrl,
      ANTHROPIC_API_KEY: 'stub',
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      DISABLE_AUTOUPDATER: '1',
      DISABLE_TELEMETRY: '1',
      DISABLE_ERROR_REPORTING: '1',
      // Without this, it refuses to run as root with permissions off.
      IS_SANDBOX: '1',
    },
    files: {},
  }),
  codex: (modelUrl) => ({
    env: { OPENAI_API_KEY: 'stub' },
    files: {
      '.codex/config.toml': [
        'model = "gpt-5.5"',
        'model_provider = "stub"',
        'check_for_update_on_startup = false',
        '[analytics]',
        'enabled = false',
        '[model_providers.stub]',
        'name = "stub"',
        `base_url = "${modelUrl}/v1"`,
        'wire_api = "responses"',
        'env_key = "OPENAI_API_KEY"',
        '',
      ].join('\n'),
    },
  }),
  gemini: (modelUrl) => ({
    env: { GEMINI_API_KEY: 'stub', GOOGLE_GEMINI_BASE_URL: modelUrl },
    files: {
      '.gemini/settings.json': json({
        // Otherwise it first asks a model which model to ask.
        model: { name: 'gemini-2.5-pro' },
        security: { auth: { selectedType: 'gemini-api-key' } },
        telemetry: { enabled: false },
        privacy: { usageStatisticsEnabled: false },
        general: { enableAutoUpdate: false, enableAutoUpdateNotification: false },
      }),
    },
  }),
  opencode: (modelUrl) => ({
    env: {
      OPENCODE_DISABLE_AUTOUPDATE: '1',
      OPENCODE_DISABLE_MODELS_FETCH: '1',
      OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
      OPENCODE_DISABLE_DEFAULT_PLUGINS: '1',
    },
    files: {
      '.config/opencode/opencode.json': json({
        autoupdate: false,
        share: 'disabled',
        model: 'stub/stub-model',
        small_model: 'stub/stub-model',
        permission: { bash: 'ask' },
        provider: {
          stub: {
            npm: '@ai-sdk/openai-compatible',
            options: { baseURL: `${modelUrl}/v1`, apiKey: 'stub' },
            models: {
              'stub-model': {
                name: 'Stub',
                reasoning: true,
                tool_call: true,
                cost: { input: 1, output: 2 },
                limit: { context: 100_000, output: 10_000 },
              },
            },
          },
        },
      }),
    },
  }),
}

function json(value: JsonObject): string {
  return JSON.stringify(value, null, 2)
}
