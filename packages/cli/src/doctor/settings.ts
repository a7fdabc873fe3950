import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { type ControlConfig, loadControlConfig } from '@tollgate/control/config.ts'
import { type GatewayConfig, loadGatewayConfig } from '@tollgate/gateway/config.ts'
import { ConfigError } from '@tollgate/service/config/load-config.ts'
import { editDistance } from '@tollgate/service/config/unknown-variables.ts'
import { completeEnv, loadStartConfig, type StartConfig } from '../start/config.ts'
import { controlEnv, gatewayEnv } from '../system/child-env.ts'
import { keepSecrets } from '../system/data-directory.ts'
import { chooseEmbedded } from '../system/embedded.ts'
import { findAddresses } from '../system/ports.ts'
import { count, type Finding, type Result, resultsOf } from './results.ts'

const { ok, error, warning } = resultsOf('settings')

/** Valid values for the variables without a default. */
const examples: Variables = {
  PUBLIC_URL: 'http://localhost:3000',
  SUPABASE_URL: 'http://localhost:9999',
  SUPABASE_ANON_KEY: 'missing',
  SUPABASE_SERVICE_ROLE_KEY: 'missing',
  STRIPE_SECRET_KEY: 'missing',
  STRIPE_WEBHOOK_SECRET: 'whsec_0000000000000000',
  DATABASE_URL: 'postgres://localhost/missing',
  REDIS_URL: 'redis://localhost'
}

/** Variables that are only valid beside another. */
const dependents: Readonly<Record<string, readonly string[]>> = { PUBLIC_URL: ['SERVICE_DOMAIN'] }

/** Loaders check rules between variables only after each variable is valid. */
const maxPasses = 3

/** What both services read. */
export interface Settings {
  readonly env: Variables
  /** The parts that `npm start` runs itself. */
  readonly embedded: readonly string[]
  readonly control: ControlConfig | null
  readonly gateway: Readonly<GatewayConfig> | null
  /** Every problem of both services' variables. */
  readonly problems: readonly string[]
  /** Whether all of these variables are valid. Otherwise the configurations have examples for them. */
  areValid(...names: string[]): boolean
}

/** Reads the environment and the file `.env` of a directory, as `npm start` does, and both services' configurations. */
export function readSettings(own: Variables, cwd: string): Settings {
  const completed: Variables = completeEnv({ ...own }, join(cwd, '.env'))
  const started = embeddedEnv(completed, cwd)
  const env = started?.env ?? completed
  const control = repairConfig(loadControlConfig, env)
  const gateway = repairConfig(loadGatewayConfig, env)
  const invalid = new Set([...control.invalid, ...gateway.invalid])
  return {
    env,
    embedded: started?.embedded ?? [],
    control: control.config,
    gateway: gateway.config,
    problems: [...new Set([...control.problems, ...gateway.problems])],
    areValid: (...names) => names.every((name) => !invalid.has(name))
  }
}

export type Variables = Readonly<Record<string, string | undefined>>

/** A configuration in which examples replace the invalid variables, so that the rest can be checked. */
interface RepairedConfig<Config> {
  /** Null if even the examples did not help. */
  readonly config: Config | null
  /** As the loader words them: `NAME: what is wrong`. */
  readonly problems: readonly string[]
  /** The names of the invalid variables. What depends on them is not to be used. */
  readonly invalid: ReadonlySet<string>
}

/**
 * Loads a configuration, and again with examples for its invalid variables. So the second pass finds the problems that
 * the loader did not look for before.
 *
 * @param load throws ConfigError
 */
export function repairConfig<Config>(load: (env: Variables) => Config, env: Variables): RepairedConfig<Config> {
  const problems: string[] = []
  const invalid = new Set<string>()
  let repaired = { ...env }
  for (let pass = 0; pass < maxPasses; pass++) {
    try {
      return { config: load(repaired), problems, invalid }
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error
      problems.push(...error.problems)
      for (const name of error.problems.flatMap(namesIn)) {
        invalid.add(name)
        repaired = { ...repaired, [name]: examples[name] ?? '' }
        for (const dependent of dependents[name] ?? []) repaired = { ...repaired, [dependent]: '' }
      }
    }
  }
  return { config: null, problems, invalid }
}

/** The variables that a problem begins with. */
export function namesIn(problem: string): string[] {
  const [, names] = /^([A-Z][A-Z0-9_]*(?:, [A-Z][A-Z0-9_]*)*):/.exec(problem) ?? []
  return names?.split(', ') ?? []
}

/**
 * Adds what `npm start` gives to its services, if it was started in this directory and a part has no real server.
 * Nothing is embedded in production.
 *
 * @returns null if `npm start` does not run these services
 */
export function embeddedEnv(env: Variables, cwd: string): { env: Variables; embedded: string[] } | null {
  if (env.NODE_ENV === 'production') return null
  const config = startConfig(env)
  const embedded = chooseEmbedded(env)
  if (config === null || embedded.size === 0) return null
  const dataDir = resolve(cwd, config.dataDir)
  if (!existsSync(join(dataDir, 'secrets.json'))) return null
  const { ports } = config
  const control = { port: ports.CONTROL_PORT, adminPort: ports.CONTROL_ADMIN_PORT }
  const gateway = { port: ports.GATEWAY_PORT, adminPort: ports.GATEWAY_ADMIN_PORT }
  const services = { controlPorts: [control], gatewayPorts: [gateway] }
  const addresses = findAddresses(env, embedded, ports, services, dataDir)
  const options = { env, embedded, addresses, ports, dataDir, secrets: keepSecrets(dataDir) }
  // One after the other: the second adds to the first, whose variables may be empty in `env`.
  const both = gatewayEnv({ ...options, env: controlEnv(options, control) }, gateway)
  return { env: both, embedded: [...embedded] }
}

/** Null for invalid ports: the services report them. */
function startConfig(env: Variables): StartConfig | null {
  try {
    return loadStartConfig(env)
  } catch {
    return null
  }
}

export function describeEmbedded({ embedded }: Settings): Result[] {
  if (embedded.length === 0) return []
  return [resultsOf('settings').ok(`npm start runs these parts itself. They are checked, too: ${embedded.join(', ')}.`)]
}

/** Where to get the value of a variable without a default. */
const sources: Readonly<Record<string, string>> = {
  PUBLIC_URL: 'Set PUBLIC_URL to the address that browsers use for control, such as https://app.example.com.',
  SUPABASE_URL: 'Copy it from Supabase: Project Settings → Data API → Project URL.',
  SUPABASE_ANON_KEY: 'Copy it from Supabase: Project Settings → API Keys → publishable key (or anon key).',
  SUPABASE_SERVICE_ROLE_KEY: 'Copy it from Supabase: Project Settings → API Keys → secret key (or service_role key).',
  STRIPE_SECRET_KEY:
    'Copy it from Stripe: Developers → API keys. deploy/stripe/README.md lists the rights of a restricted key.',
  STRIPE_WEBHOOK_SECRET: 'Copy it from Stripe: Developers → Webhooks → your endpoint → Signing secret (whsec_…).',
  DATABASE_URL: 'Set DATABASE_URL=postgres://user:password@host:5432/database',
  REDIS_URL: 'Set REDIS_URL=redis://:password@host:6379. deploy/redis/README.md has the other forms.'
}

interface VariableFacts {
  readonly env: Variables
  /** The variables of Tollgate and of the upstreams file. */
  readonly known: readonly string[]
  /** The problems that the loaders of both services report. */
  readonly problems: readonly string[]
}

export function judgeVariables(facts: VariableFacts): Result[] {
  const { env, known } = facts
  const isSet = (name: string) => (env[name] ?? '') !== ''
  // The loaders also name misspelt variables; here each is found once.
  const problems = facts.problems.filter((problem) => !problem.includes(': no such variable'))
  const findings = [...[...new Set(problems.flatMap(splitMissing))].map(judgeProblem), ...findMisspelled(facts)]
  if (findings.some(({ severity }) => severity === 'error')) return findings
  return [ok(`${count(known.filter(isSet).length, 'variable')} set, all valid.`), ...findings]
}

/** Loaders name all missing variables in one problem. */
function splitMissing(problem: string): string[] {
  const names = namesIn(problem)
  return names.length > 1 ? names.map((name) => problem.replace(names.join(', '), name)) : [problem]
}

function judgeProblem(problem: string): Finding {
  const isMissing = /: missing\b/.test(problem)
  const [name = 'a variable'] = namesIn(problem)
  return error(isMissing ? 'variable_missing' : 'variable_invalid', {
    what: problem,
    why: `The service that reads ${name} does not start.`,
    fix: `${(isMissing ? sources[name] : undefined) ?? `Correct ${name}.`} .env.example describes every variable.`
  })
}

/** A name that nobody reads is not noticed: the default applies, or the variable is missing. */
function findMisspelled({ env, known }: VariableFacts): Finding[] {
  const isSet = (name: string) => (env[name] ?? '') !== ''
  return Object.keys(env)
    .filter((name) => /^[A-Z][A-Z0-9_]+$/.test(name) && isSet(name) && !known.includes(name))
    .flatMap((name) => {
      const near = nearestName(name, known, isSet)
      if (near === null) return []
      return warning('variable_unknown', {
        what: `No program reads ${name}. Did you mean ${near}?`,
        why: 'Its value has no effect.',
        fix: `Rename ${name} to ${near}, or remove it.`
      })
    })
}

/**
 * Finds the known variable that somebody probably meant: a name with a typing error, or with one word too many or too
 * few.
 *
 * @param isSet whether a known variable has a value; a forgotten word is only assumed for one without
 * @returns null if no name is near enough
 */
export function nearestName(
  unknown: string,
  names: readonly string[],
  isSet: (name: string) => boolean = () => false
): string | null {
  const distances = names
    .map((name) => ({ name, distance: editDistance(unknown, name) }))
    .toSorted((a, b) => a.distance - b.distance)
  const [nearest] = distances
  if (nearest !== undefined && nearest.distance <= Math.max(1, Math.floor(unknown.length / 6))) return nearest.name
  return names.find((name) => !isSet(name) && differByOneWord(unknown, name)) ?? null
}

/** `STRIPE_KEY` and `STRIPE_SECRET_KEY`. The first words must be equal: many programs have an `API_KEY`. */
function differByOneWord(one: string, other: string): boolean {
  const [shorter, longer] = [one.split('_'), other.split('_')].toSorted((a, b) => a.length - b.length)
  if (shorter!.length < 2 || longer!.length !== shorter!.length + 1 || shorter![0] !== longer![0]) return false
  return longer!.some((_word, index) => longer!.toSpliced(index, 1).join('_') === shorter!.join('_'))
}
