/**
 * Headers of the dashboard's page. Scripts, styles, fonts and pictures must be files of this origin, never inline. The page
 * may call this origin and the gateway, and nobody may frame it. Browsers with trusted types refuse HTML that the page
 * writes from text.
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
    `img-src 'self'${logoUrl === null ? '' : ` ${new URL(logoUrl).origin}`}`,
    `connect-src 'self' ${gatewayUrl}`,
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'"
  ]
  return {
    'content-security-policy': policy.join('; '),
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=()',
    'x-frame-options': 'DENY'
  }
}
