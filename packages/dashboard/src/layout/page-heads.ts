/** What a page begins with. */
export interface PageHead {
  readonly title: string
  /** Null if it depends on the account. */
  readonly description: string | null
}

/**
 * Titles and descriptions that are the same for everybody, by address: the build also writes them into the HTML of the pages, so that
 * they are read while the code still loads.
 */
export const pageHeads = {
  '/dashboard': { title: 'Overview', description: null },
  '/dashboard/keys': { title: 'Keys', description: null },
  '/dashboard/playground': {
    title: 'Playground',
    description: 'Try the models of your plan, then copy the call into your code.'
  },
  '/dashboard/models': {
    title: 'Models',
    description: 'What your plan offers, and what it costs. Prices are in US dollars for a million tokens.'
  },
  '/dashboard/limits': {
    title: 'Limits',
    description: 'What all keys of the account may use together. A key can have lower limits of its own.'
  },
  '/dashboard/usage': { title: 'Usage', description: null },
  '/dashboard/requests': {
    title: 'Requests',
    description: 'What each request cost and why. Prompts and answers are never stored.'
  },
  '/dashboard/billing': {
    title: 'Billing',
    description: 'The plan, what it costs, and its invoices. The owner of a team pays for all of its members.'
  },
  '/dashboard/team': { title: 'Team', description: 'Everyone with a seat shares the plan, the keys and the budget.' },
  '/dashboard/notices': { title: 'Notices', description: null },
  '/dashboard/webhooks': {
    title: 'Webhooks',
    description: 'We call your server when a budget runs out, a key changes, a payment fails and more.'
  },
  '/dashboard/audit': {
    title: 'Audit log',
    description: 'Who changed what in this account, when and from where.'
  },
  '/dashboard/docs': {
    title: 'Docs',
    description: 'How to call models, with the addresses of this service and your own models.'
  },
  '/dashboard/docs/api': {
    title: 'API reference',
    description: 'How to call models, with the addresses of this service and your own models.'
  },
  '/dashboard/account': {
    title: 'Account',
    description: 'Your profile, password, notifications, sessions and time zone.'
  },
  '/dashboard/operator/accounts': {
    title: 'Accounts',
    description: 'Every account of this service, with its spend of this month (UTC).'
  },
  '/dashboard/operator/leaked-key': {
    title: 'Leaked key',
    description: 'Revoke a key that was found in public, such as in a repository or a log.'
  },
  '/dashboard/operator/system': {
    title: 'System',
    description: 'Every part of this service, as of now. Refreshes every 10 seconds.'
  },
  '/dashboard/operator/money': {
    title: 'Money',
    description: 'Cost by the prices of the catalog, against paid invoices. Months are in UTC.'
  },
  '/dashboard/operator/catalog': {
    title: 'Catalog',
    description: 'Models, prices and plans. Compare a new catalog before you apply it.'
  },
  '/dashboard/operator/log': {
    title: 'Operators’ log',
    description: 'What operators did, why, when and from where. Entries are never changed.'
  }
} as const satisfies Record<string, PageHead>
