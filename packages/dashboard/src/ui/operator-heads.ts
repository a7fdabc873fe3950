import type { PageHead } from './page-heads.ts'

/** Like `pageHeads`, of the pages for operators: nobody else loads them. */
export const operatorHeads = {
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
    description:
      'What your models cost by the prices of the catalog, against the invoices that were paid. Months are in UTC.'
  },
  '/dashboard/operator/catalog': {
    title: 'Catalog',
    description:
      'Models with their prices, and plans with their limits. Compare a new catalog with the one in force before you apply it.'
  },
  '/dashboard/operator/notices': {
    title: 'Operators’ notices',
    description:
      'Failing providers, requests that failed over, unusual spend and more. Each operator has their own read marks.'
  },
  '/dashboard/operator/webhooks': {
    title: 'Operators’ webhooks',
    description:
      'We call your server when a provider keeps failing, requests fail over or an account spends unusually much.'
  },
  '/dashboard/operator/log': {
    title: 'Operators’ log',
    description:
      'What operators did, why, when and from where: suspensions, changed limits, adjustments and more. Entries are never changed.'
  }
} as const satisfies Record<string, PageHead>
