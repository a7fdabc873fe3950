import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import { Type } from 'typebox'
import type { FormProof } from '../identity/identity.ts'

/** The variables of the CAPTCHA that forms show. The identity provider has its secret, and checks the answers. */
export const captchaVariables = {
  CAPTCHA_PROVIDER: Type.Enum(['', 'hcaptcha', 'turnstile'], { default: '' }),
  /** The provider's public key of this site. */
  CAPTCHA_SITE_KEY: Type.String({ pattern: '^[A-Za-z0-9_-]*$', must: 'letters, digits, - and _', default: '' })
}

interface Variables {
  readonly CAPTCHA_PROVIDER: '' | 'hcaptcha' | 'turnstile'
  readonly CAPTCHA_SITE_KEY: string
}

export type CaptchaProvider = Exclude<Variables['CAPTCHA_PROVIDER'], ''>

export interface CaptchaSettings {
  readonly provider: CaptchaProvider
  readonly siteKey: string
}

/** @returns null: forms show no CAPTCHA */
export function readCaptcha({
  CAPTCHA_PROVIDER: provider,
  CAPTCHA_SITE_KEY: siteKey
}: Variables): CaptchaSettings | null {
  return provider === '' ? null : { provider, siteKey }
}

/** @returns what is wrong, for the operator; null for right values */
export function checkCaptcha({ CAPTCHA_PROVIDER: provider, CAPTCHA_SITE_KEY: siteKey }: Variables): string | null {
  if ((provider === '') === (siteKey === '')) return null
  return provider === ''
    ? 'CAPTCHA_PROVIDER: must be hcaptcha or turnstile, because CAPTCHA_SITE_KEY is set'
    : 'CAPTCHA_SITE_KEY: is missing. CAPTCHA_PROVIDER needs it'
}

/**
 * What a form proves with its CAPTCHA.
 *
 * @param captcha what the forms show
 * @throws ServiceError `captcha_failed` without a token, if the forms show a CAPTCHA
 */
export function proofOf(
  captcha: CaptchaSettings | null,
  { captcha_token: captchaToken }: { captcha_token?: string }
): FormProof {
  if (captcha !== null && captchaToken === undefined) throw new ServiceError('captcha_failed')
  return { captchaToken }
}

/** The sign-in providers of Supabase Auth that need no more than a name, with the name that people know. */
const providerNames: Readonly<Record<string, string>> = {
  apple: 'Apple',
  azure: 'Microsoft',
  bitbucket: 'Bitbucket',
  discord: 'Discord',
  facebook: 'Facebook',
  figma: 'Figma',
  github: 'GitHub',
  gitlab: 'GitLab',
  google: 'Google',
  keycloak: 'Keycloak',
  linkedin_oidc: 'LinkedIn',
  notion: 'Notion',
  slack_oidc: 'Slack',
  twitch: 'Twitch',
  workos: 'WorkOS',
  zoom: 'Zoom'
}

/** A sign-in provider as forms and buttons show it. */
export interface SignInProvider {
  readonly id: string
  readonly name: string
}

export const nameSignInProviders = (ids: readonly string[]): SignInProvider[] =>
  ids.map((id) => ({ id, name: providerNames[id] ?? id }))

/** @returns what is wrong with `AUTH_PROVIDERS`; null if nothing is */
export function checkProviders(names: readonly string[]): string | null {
  const isKnown = names.every((name) => Object.hasOwn(providerNames, name))
  if (isKnown && new Set(names).size === names.length) return null
  return `AUTH_PROVIDERS: every entry must be one of ${Object.keys(providerNames).join(', ')}, each once`
}
