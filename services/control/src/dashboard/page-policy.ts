/**
 * Headers of the dashboard's page: scripts, styles, fonts and pictures come from this origin and are files, never inline;
 * it talks to this origin and to the gateway, and nobody may frame it. What the page writes as HTML, rather than as text,
 * is refused by browsers that know trusted types.
 *
 * @param gatewayUrl the gateway's public origin, which the playground calls
 */
export function pageHeaders(gatewayUrl: string): Record<string, string> {
  const policy = [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "font-src 'self'",
    "img-src 'self'",
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
