/** The addresses of the sign-in app. All others belong to the dashboard. */
export const signInPaths = [
  '/login',
  '/register',
  '/forgot-password',
  '/confirm',
  '/reset-password',
  '/accept-invitation',
  '/goodbye',
  '/signed-in'
] as const

export type SignInPath = (typeof signInPaths)[number]
