const sentences: Readonly<Record<string, string>> = {
  'account.suspended': 'Suspended an account',
  'account.resumed': 'Resumed an account',
  'account.overridden': 'Changed the plan or the limits of an account',
  'account.adjusted': 'Adjusted the usage of an account',
  'account.signed_out': 'Signed out everyone in an account',
  'account.deleted': 'Deleted an account',
  'key.revoked': 'Revoked a key',
  'catalog.applied': 'Applied a catalog',
  'projection.rebuilt': 'Rebuilt the projection in Redis'
}

/** Describes an act of an operator. An unknown act is shown by its name. */
export const describeAct = (action: string): string => sentences[action] ?? action
