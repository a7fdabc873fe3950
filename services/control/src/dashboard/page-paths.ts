/** Every path at which the dashboard's one page is served; what is shown there, the page decides. */
export const pagePaths = [
  '/',
  '/login',
  '/register',
  '/forgot-password',
  '/confirm',
  '/reset-password',
  '/accept-invitation',
  '/invitations/:token',
  '/dashboard',
  '/dashboard/*'
] as const

export const assetsPrefix = '/assets/'
