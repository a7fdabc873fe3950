import { Type } from 'typebox'

const signupModes = ['open', 'approved', 'invited'] as const
type SignupMode = (typeof signupModes)[number]

/** The variables that say who may get an account. */
export const signupVariables = {
  /**
   * `open`: anybody may register. `approved`: the same, but accounts wait until an operator approves them. `invited`:
   * only who has an open invitation to a team, or whom an operator created.
   */
  SIGNUP: Type.Enum([...signupModes], { default: 'open' }),
  /** Domains, separated by commas, whose addresses may register, with their subdomains. Empty: all. */
  SIGNUP_ALLOWED_DOMAINS: Type.String({ default: '' }),
  /** Domains, separated by commas, whose addresses may not register, with their subdomains. */
  SIGNUP_BLOCKED_DOMAINS: Type.String({ default: '' }),
  /** Whether addresses of known throw-away domains may register. */
  SIGNUP_THROWAWAY_DOMAINS: Type.Enum(['refuse', 'accept'], { default: 'refuse' }),
  /** Registrations in 24 hours: of each network of clients (/24 of IPv4, /48 of IPv6), and of all. */
  SIGNUPS_PER_NETWORK_DAY: Type.Integer({ minimum: 1, maximum: 1_000_000, default: 200 }),
  SIGNUPS_PER_DAY: Type.Integer({ minimum: 1, maximum: 10_000_000, default: 10_000 })
}

interface Variables {
  readonly SIGNUP: SignupMode
  readonly SIGNUP_ALLOWED_DOMAINS: string
  readonly SIGNUP_BLOCKED_DOMAINS: string
  readonly SIGNUP_THROWAWAY_DOMAINS: 'refuse' | 'accept'
  readonly SIGNUPS_PER_NETWORK_DAY: number
  readonly SIGNUPS_PER_DAY: number
}

export interface SignupSettings {
  readonly mode: SignupMode
  /** Empty: all. */
  readonly allowedDomains: readonly string[]
  readonly blockedDomains: readonly string[]
  readonly acceptsThrowaway: boolean
  readonly perNetworkDay: number
  readonly perDay: number
}

export function readSignup(variables: Variables, list: (text: string) => string[]): SignupSettings {
  return {
    mode: variables.SIGNUP,
    allowedDomains: list(variables.SIGNUP_ALLOWED_DOMAINS),
    blockedDomains: list(variables.SIGNUP_BLOCKED_DOMAINS),
    acceptsThrowaway: variables.SIGNUP_THROWAWAY_DOMAINS === 'accept',
    perNetworkDay: variables.SIGNUPS_PER_NETWORK_DAY,
    perDay: variables.SIGNUPS_PER_DAY
  }
}

const domainForm = /^[a-z0-9-]+(\.[a-z0-9-]+)+$/

/** @returns what is wrong, for the operator; null for a right value */
export function checkSignupDomains(variables: Variables, list: (text: string) => string[]): string | null {
  for (const name of ['SIGNUP_ALLOWED_DOMAINS', 'SIGNUP_BLOCKED_DOMAINS'] as const) {
    const isRight = list(variables[name]).every((domain) => domainForm.test(domain))
    if (!isRight) return `${name}: every entry must be a domain such as example.com, in lower case, without @`
  }
  return null
}
