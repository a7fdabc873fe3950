import { SystemError } from './system-error.ts'

/** Environment variables by name. An empty one counts as absent. */
export type Variables = Readonly<Record<string, string | undefined>>

/** A part that the system starts itself, unless a variable names a real one. */
export type EmbeddedPart = 'identity' | 'payments' | 'postgres' | 'redis' | 'models'

/** The variables that replace each part. One of them is enough. */
const replacedBy: Readonly<Record<EmbeddedPart, readonly string[]>> = {
  identity: ['SUPABASE_URL'],
  payments: ['STRIPE_SECRET_KEY'],
  postgres: ['DATABASE_URL'],
  redis: ['REDIS_URL'],
  // The variables of deploy/upstreams.yaml, and a file of one's own.
  models: [
    'OPENAI_API_KEY',
    'OPENAI_BASE_URL',
    'ANTHROPIC_API_KEY',
    'GEMINI_API_KEY',
    'MISTRAL_API_KEY',
    'DEEPSEEK_API_KEY',
    'GROQ_API_KEY',
    'OLLAMA_BASE_URL',
    'VLLM_BASE_URL',
    'UPSTREAMS_FILE'
  ]
}

/** All parts that the system can start itself. */
export const replaceableParts = Object.keys(replacedBy) as readonly EmbeddedPart[]

/**
 * Chooses the embedded parts: all that no variable replaces.
 *
 * @throws SystemError with `NODE_ENV=production` and any embedded part: these forge identities, payments and answers,
 *   or
 * lose their data at a restart
 */
export function chooseEmbedded(env: Variables): ReadonlySet<EmbeddedPart> {
  const embedded = replaceableParts.filter((part) => !replacedBy[part].some((name) => env[name]))
  if (env.NODE_ENV === 'production' && embedded.length > 0) {
    const missing = embedded.map((part) => `  ${part}: set ${replacedBy[part].join(' or ')}`)
    throw new SystemError(
      `NODE_ENV is "production", but embedded parts are for development only. Set the variables of the real parts:\n${missing.join('\n')}`
    )
  }
  return new Set(embedded)
}
