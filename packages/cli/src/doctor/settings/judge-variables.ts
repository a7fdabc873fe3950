import { count } from '../results/count.ts'
import { type Finding, type Result, resultsOf } from '../results/result.ts'
import { nearestName } from './nearest-name.ts'
import { namesIn, type Variables } from './repair-config.ts'

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

const { ok, error, warning } = resultsOf('settings')

export interface VariableFacts {
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
