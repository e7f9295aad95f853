type ScriptUrlPolicy = { createScriptURL(input: string): string }
type Factory = { createPolicy(name: string, rules: ScriptUrlPolicy): ScriptUrlPolicy }

let policy: ScriptUrlPolicy | undefined

/**
 * The one Trusted Types policy of both shells: scripts are started (a worker, the service worker) from our own origin or
 * not at all. The result is a TrustedScriptURL where the browser has them; the DOM's types know it as a string.
 */
export function trustedScriptUrl(path: string): string {
  policy ??= makePolicy()
  return policy.createScriptURL(path)
}

function makePolicy(): ScriptUrlPolicy {
  const rules: ScriptUrlPolicy = { createScriptURL: ownScriptUrl }
  const { trustedTypes } = globalThis as { trustedTypes?: Factory }
  return trustedTypes?.createPolicy('stave', rules) ?? rules
}

function ownScriptUrl(path: string): string {
  const url = new URL(path, location.href)
  if (url.origin !== location.origin || !url.pathname.endsWith('.js') || url.search !== '') {
    throw new TypeError('script url refused')
  }
  return url.href
}
