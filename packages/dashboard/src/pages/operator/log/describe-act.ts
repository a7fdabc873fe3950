/** What an operator did, after their name. */
const deeds: Readonly<Record<string, string>> = {
  'account.suspended': 'suspended an account',
  'account.resumed': 'resumed an account',
  'account.approved': 'approved an account',
  'account.overridden': 'changed the plan or the limits of an account',
  'account.adjusted': 'adjusted the usage of an account',
  'account.signed_out': 'signed out everyone in an account',
  'account.deleted': 'deleted an account',
  'act.asked': 'asked a second operator to confirm an act',
  'act.confirmed': 'confirmed what another operator asked for',
  'act.rejected': 'rejected what another operator asked for',
  'key.revoked': 'revoked a key',
  'catalog.applied': 'applied a catalog',
  'projection.rebuilt': 'rebuilt the projection in Redis'
}

/** An act of an operator as a sentence. An unknown act is shown by its name. @param actor the operator's name */
export const describeAct = (actor: string, action: string): string => `${actor} ${deeds[action] ?? action}.`
