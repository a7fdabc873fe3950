/** The sign-in providers of Supabase Auth that need no more than a name, with the name that people know. */
export const providerNames: Readonly<Record<string, string>> = {
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

/** @returns what is wrong with `AUTH_PROVIDERS`; null if nothing is */
export function checkProviders(names: readonly string[]): string | null {
  const isKnown = names.every((name) => Object.hasOwn(providerNames, name))
  if (isKnown && new Set(names).size === names.length) return null
  return `AUTH_PROVIDERS: every entry must be one of ${Object.keys(providerNames).join(', ')}, each once`
}
