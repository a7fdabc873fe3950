/** What a page begins with. */
export interface PageHead {
  readonly title: string
  readonly description: string
}

/**
 * Titles and descriptions that are the same for everybody, by address: the build also writes them into the HTML of the
 * pages, so that they are read while the code still loads.
 */
export const pageHeads = {
  '/dashboard': {
    title: 'Overview',
    description: 'What you spend this month, how much of your budget is left, and what needs your attention.'
  },
  '/dashboard/keys': {
    title: 'Keys',
    description: 'API keys authenticate your apps. A revoked key stops working everywhere at once.'
  },
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
  '/dashboard/usage': {
    title: 'Usage',
    description:
      'Requests, tokens, cost and latency. New requests appear within seconds. Days and months are in UTC. Hours are in your time zone.'
  },
  '/dashboard/requests': {
    title: 'Requests',
    description: 'What each request cost and why. New ones appear within seconds. They have no prompts and no answers.'
  },
  '/dashboard/billing': {
    title: 'Billing',
    description: 'The plan, what it costs, and its invoices. The owner of a team pays for all of its members.'
  },
  '/dashboard/team': {
    title: 'Team',
    description:
      'Everyone with a seat shares the plan, the keys and the budget. The owner pays, and can remove members at any time.'
  },
  '/dashboard/notices': {
    title: 'Notices',
    description: 'What happened in your account: budgets, keys, plans, payments and webhooks.'
  },
  '/dashboard/webhooks': {
    title: 'Webhooks',
    description:
      'We call your server when a budget runs out, a key changes, a payment fails and more. You can send a test event first.'
  },
  '/dashboard/audit': {
    title: 'Audit log',
    description: 'Who changed what, when and from where. Search and filter it, or export it for your own records.'
  },
  '/dashboard/account': {
    title: 'Account',
    description: 'Your profile, your password, which mails you get, where you are signed in, and your time zone.'
  }
} as const satisfies Record<string, PageHead>
