/** The operators' pages: title, and the name of the link in the menu. */
export const operatorPages = ['Accounts', 'Leaked key', 'System', 'Money', 'Catalog', 'Operators’ log'] as const
