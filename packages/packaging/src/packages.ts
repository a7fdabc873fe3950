/** A file of the workspace that a package contains at the same place as the workspace. */
export interface KeptFiles {
  /** Folder, from the root of the workspace. */
  readonly folder: string
  /** Patterns of files in it. */
  readonly patterns: readonly string[]
}

/** What one package contains. */
export interface PackagePlan {
  /** Also the name of its folder in `dist`. */
  readonly name: 'gateway' | 'control'
  readonly description: string
  /** Each program is started by `node <name>.js`. The value is its module, as packages import it. */
  readonly programs: Readonly<Record<string, string>>
  readonly files: readonly KeptFiles[]
  /** Whether the dashboard is in it. */
  readonly hasDashboard: boolean
  /** Flags of V8, set before anything is loaded. */
  readonly v8Flags: readonly string[]
}

const scriptsOfRedis: KeptFiles = { folder: 'packages/state/src', patterns: ['**/*.lua'] }

/** Every package that `npm run package` makes. */
export const packagePlans: readonly PackagePlan[] = [
  {
    name: 'gateway',
    description: 'The gateway of Tollgate: checks keys, calls models and counts usage.',
    programs: { main: '@tollgate/gateway/main.ts' },
    files: [scriptsOfRedis, { folder: 'deploy', patterns: ['upstreams.yaml'] }],
    hasDashboard: false,
    v8Flags: []
  },
  {
    name: 'control',
    description: 'Control of Tollgate: accounts, keys, billing, the dashboard, and the tollgate command.',
    programs: { main: '@tollgate/control/main.ts', tollgate: '@tollgate/cli/tollgate/run-tollgate.ts' },
    files: [
      scriptsOfRedis,
      // `tollgate doctor` reads both.
      { folder: 'deploy', patterns: ['catalog.yaml', 'upstreams.yaml'] },
      { folder: 'services/control/src/database/migrations', patterns: ['*.sql', 'meta/_journal.json'] }
    ],
    hasDashboard: true,
    // The young generation stays small: 45 MB less at rest. Its more frequent collections cost little, because control
    // has few requests.
    v8Flags: ['--semi-space-growth-factor=1']
  }
]
