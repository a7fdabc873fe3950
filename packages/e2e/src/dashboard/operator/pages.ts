/** The operators' pages: title, and the name of the link in the menu. */
export const operatorPages = [
  'Accounts',
  'Leaked key',
  'System',
  'Money',
  'Catalog',
  'Operators’ notices',
  'Operators’ webhooks',
  'Operators’ log'
] as const
