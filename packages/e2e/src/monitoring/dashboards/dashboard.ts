/** Units of Grafana, such as `s` for seconds and `reqps` for requests per second. */
export type Unit = 'short' | 's' | 'bytes' | 'percentunit' | 'reqps' | 'cps' | 'currencyUSD' | 'ops' | 'string'

export interface Query {
  /** PromQL. `$filter` stands for the chosen jobs and instances. */
  expr: string
  /** How each series is named, such as `{{model}}`. */
  legend: string
}

export interface Panel {
  title: string
  /** What it shows, and when to worry. */
  description: string
  unit: Unit
  queries: readonly Query[]
  /** One number, a table of labels, or (by default) a chart over time. */
  form?: 'number' | 'table'
  /** Of the 24 columns; a third by default. */
  width?: number
  /** A number turns red from here on. */
  redFrom?: number
  /** A number is red below this. */
  redBelow?: number
}

/** A question of an operator, and the panels that answer it. */
export interface Row {
  question: string
  panels: readonly Panel[]
}

export interface Dashboard {
  uid: string
  title: string
  description: string
  /** The regular expression of its scrape job. */
  job: string
  /** In the order in which an operator asks them. */
  rows: readonly Row[]
}

/** A quantile of a histogram by labels. */
export const quantile = (share: number, histogram: string, ...by: readonly string[]): string =>
  `histogram_quantile(${share}, sum by (${[...by, 'le'].join(', ')}) (rate(${histogram}_bucket{$filter}[$__rate_interval])))`

/** The rate of a counter by labels. */
export const rateOf = (counter: string, by: readonly string[], more = ''): string =>
  `sum by (${by.join(', ')}) (rate(${counter}{$filter${more === '' ? '' : `, ${more}`}}[$__rate_interval]))`
