import type { CaptchaProvider } from '../auth/sign-in-settings.ts'

const picturesFrom = (logoUrl: string | null): string =>
  `img-src 'self'${logoUrl === null ? '' : ` ${new URL(logoUrl).origin}`}`

/**
 * Headers of the dashboard's page. Scripts, styles, fonts and pictures must be files of this origin, never inline. The
 * page may call this origin and the gateway, and nobody may frame it. Browsers with trusted types refuse HTML that the
 * page writes from text.
 *
 * @param gatewayUrl the gateway's public origin, which the playground calls
 * @param logoUrl the only picture from elsewhere; null for none
 */
export function pageHeaders(gatewayUrl: string, logoUrl: string | null): Record<string, string> {
  const policy = [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "font-src 'self'",
    picturesFrom(logoUrl),
    `connect-src 'self' ${gatewayUrl}`,
    // The CAPTCHA.
    "frame-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'"
  ]
  return { ...headersWith(policy), 'x-frame-options': 'DENY' }
}

/**
 * Headers of the public pages: they call nothing elsewhere, and frame nothing.
 *
 * @param logoUrl the only picture from elsewhere; null for none
 */
export function sitePageHeaders(logoUrl: string | null): Record<string, string> {
  const policy = [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "font-src 'self'",
    picturesFrom(logoUrl),
    // The search of the docs.
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'"
  ]
  return { ...headersWith(policy), 'x-frame-options': 'DENY' }
}

const hcaptcha = ['https://hcaptcha.com', 'https://*.hcaptcha.com']
const turnstile = ['https://challenges.cloudflare.com']
/**
 * What each CAPTCHA loads (https://docs.hcaptcha.com/#content-security-policy-settings,
 * https://developers.cloudflare.com/turnstile/reference/content-security-policy/).
 */
const captchaOrigins: Readonly<
  Record<CaptchaProvider, Readonly<Record<'scripts' | 'styles' | 'calls', readonly string[]>>>
> = {
  hcaptcha: { scripts: hcaptcha, styles: hcaptcha, calls: hcaptcha },
  turnstile: { scripts: turnstile, styles: [], calls: [] }
}

/**
 * Headers of the CAPTCHA, whose script is its provider's. So it is a page of its own, which only pages of this origin
 * may frame: no other page has scripts or frames from elsewhere. Its provider learns the origin of the page, which it
 * compares with the site key.
 */
export function captchaHeaders(provider: CaptchaProvider): Record<string, string> {
  const { scripts, styles, calls } = captchaOrigins[provider]
  const policy = [
    "default-src 'none'",
    ["script-src 'self'", ...scripts].join(' '),
    ["style-src 'self'", ...styles].join(' '),
    ['frame-src', ...scripts].join(' '),
    ["connect-src 'self'", ...calls].join(' '),
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'self'"
  ]
  return { ...headersWith(policy), 'x-frame-options': 'SAMEORIGIN', 'referrer-policy': 'strict-origin' }
}

const headersWith = (policy: readonly string[]): Record<string, string> => ({
  'content-security-policy': policy.join('; '),
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=()'
})
