/** The user who can sign in after the first start. */
export const demoUser = { email: 'demo@tollgate.local', password: 'tollgate-demo', name: 'Demo' } as const
