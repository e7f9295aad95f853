const SYSTEMS = [
  [/iPhone/, 'iPhone'],
  [/iPad/, 'iPad'],
  [/Android/, 'Android'],
  [/CrOS/, 'ChromeOS'],
  [/Mac OS X|Macintosh/, 'Mac'],
  [/Windows/, 'Windows'],
  [/Linux/, 'Linux'],
] as const

const BROWSERS = [
  [/Edg\//, 'Edge'],
  [/OPR\//, 'Opera'],
  [/Firefox\//, 'Firefox'],
  [/Chrome\//, 'Chrome'],
  [/Safari\//, 'Safari'],
] as const

/** A first proposal for this device's name, from what the browser says about itself. */
export function proposeDeviceName(userAgent: string, join: (browser: string, system: string) => string): string {
  const system = SYSTEMS.find(([pattern]) => pattern.test(userAgent))?.[1]
  const browser = BROWSERS.find(([pattern]) => pattern.test(userAgent))?.[1]
  if (browser !== undefined && system !== undefined) return join(browser, system)
  return browser ?? system ?? ''
}
