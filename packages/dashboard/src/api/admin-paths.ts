/** Method and path of each operation of the admin API. */
export const adminPaths = {
  listAccounts: ['GET', '/api/admin/accounts'],
  getAccount: ['GET', '/api/admin/accounts/{id}'],
  suspendAccount: ['POST', '/api/admin/accounts/{id}/suspend'],
  resumeAccount: ['POST', '/api/admin/accounts/{id}/resume'],
  signOutAccount: ['POST', '/api/admin/accounts/{id}/signout'],
  changeAccount: ['PATCH', '/api/admin/accounts/{id}'],
  adjustUsage: ['POST', '/api/admin/accounts/{id}/adjustments'],
  deleteAccount: ['DELETE', '/api/admin/accounts/{id}'],
  revokeKey: ['POST', '/api/admin/keys/revoke'],
  getSystem: ['GET', '/api/admin/system'],
  getMoney: ['GET', '/api/admin/money'],
  getCatalog: ['GET', '/api/admin/catalog'],
  compareCatalog: ['POST', '/api/admin/catalog/diff'],
  applyCatalog: ['POST', '/api/admin/catalog'],
  listActs: ['GET', '/api/admin/audit'],
  checkSession: ['GET', '/api/admin/audit']
} as const satisfies Record<string, readonly [method: string, path: string]>
