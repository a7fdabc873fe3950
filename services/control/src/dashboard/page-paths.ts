/** All paths that serve the dashboard's one page. The page itself decides what it shows there. */
export const pagePaths = [
  '/',
  '/login',
  '/register',
  '/forgot-password',
  '/confirm',
  '/reset-password',
  '/goodbye',
  '/accept-invitation',
  '/signed-in',
  '/invitations/:token',
  '/dashboard',
  '/dashboard/*'
] as const

export const assetsPrefix = '/assets/'
