/** For a page that control did not serve, such as that of the development server. */
const builtIn = 30

/** How many days requests are kept. Control writes it into the page. */
export const requestLogDays = (): number =>
  Number(document.querySelector<HTMLMetaElement>('meta[name="request-log-days"]')?.content) || builtIn
