/** The documents of both APIs in the viewer of a library. The dashboard frames it. */
export const apiReferencePath = '/api/reference'

/** The CAPTCHA, which forms frame. Only served if the operator has one. */
export const captchaPath = '/captcha'

/** All paths that serve a page of the dashboard. The page itself decides what it shows there. */
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
  apiReferencePath,
  '/dashboard',
  '/dashboard/*'
] as const

export const assetsPrefix = '/assets/'
