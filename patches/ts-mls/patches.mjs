/**
 * What Stave changes in the published ts-mls 1.6.4, mlkem 2.7.0 and @noble/hashes 2.0.1 (docs/decisions/0003-mls-engine.md).
 * C: correctness, each with the section of RFC 9420 it restores and the upstream change that agrees with it. S: what a
 * service worker or a pure core needs. P: speed, Z: size; same results. `times` is how often `from` must occur; anything
 * else stops the install.
 */
export const PACKAGES = { 'ts-mls': '1.6.4', mlkem: '2.7.0', '@noble/hashes': '2.0.1' }

const CLIENT = 'ts-mls/dist/src/clientState.js'
const COMMIT = 'ts-mls/dist/src/createCommit.js'
const PROCESS = 'ts-mls/dist/src/processMessages.js'
const SECRETS = 'ts-mls/dist/src/pathSecrets.js'

/** Modules that are replaced whole or added, from this folder. */
export const MODULES = [
  { id: 'P1', from: 'secret-tree.js', to: 'ts-mls/dist/src/secretTree.js' },
  { id: 'P1', from: 'secret-tree.d.ts', to: 'ts-mls/dist/src/secretTree.d.ts' },
  { id: 'P2', from: 'tree-hashes.js', to: 'ts-mls/dist/src/treeHashes.js' },
  { id: 'P5', from: 'byte-keys.js', to: 'ts-mls/dist/src/byteKeys.js' },
  { id: 'P12', from: 'codec-encoder.js', to: 'ts-mls/dist/src/codec/tlsEncoder.js' },
  { id: 'P12', from: 'codec-number.js', to: 'ts-mls/dist/src/codec/number.js' },
  { id: 'C13', from: 'codec-optional.js', to: 'ts-mls/dist/src/codec/optional.js' },
  { id: 'C13', from: 'codec-variable-length.js', to: 'ts-mls/dist/src/codec/variableLength.js' },
]

export const PATCHES = [
  {
    id: 'C1',
    file: CLIENT,
    why: 'An unmerged leaf must be a non-blank descendant: both, not either.',
    rfc: '7.9.2, 12.4.3.1',
    upstream: '94060ac',
    from: `if (tree[nodeIndex]?.nodeType !== "leaf" && !dp.includes(toNodeIndex(i)))`,
    to: `if (tree[nodeIndex]?.nodeType !== "leaf" || !dp.includes(toNodeIndex(i)))`,
  },
  {
    id: 'C1',
    file: CLIENT,
    why: 'Only nodes between the leaf and the parent must list it; those above may have been blanked and filled since.',
    rfc: '12.4.3.1',
    upstream: '94060ac',
    from: `                    const dpNode = tree[parentIdx];\n`,
    to: `                    if (parentIdx === i)\n                        break;\n                    const dpNode = tree[parentIdx];\n`,
  },
  {
    id: 'C1',
    file: CLIENT,
    why: 'Those nodes must list this leaf; they may list more or fewer others.',
    rfc: '12.4.3.1',
    upstream: '94060ac',
    from: `if (!arraysEqual(dpNode.parent.unmergedLeaves, n.parent.unmergedLeaves))`,
    to: `if (!dpNode.parent.unmergedLeaves.includes(unmergedLeaf))`,
  },
  {
    id: 'C2',
    file: CLIENT,
    why: 'A commit needs a path unless all it has is add, psk and reinit.',
    rfc: '12.4',
    upstream: 'ff827dc',
    from: `const needsUpdatePath = allProposals.length === 0 || Object.values(grouped.update).length > 0 || Object.values(grouped.remove).length > 0;`,
    to: `const needsUpdatePath = allProposals.length === 0 || allProposals.some(({ proposal }) => !["add", "psk", "reinit"].includes(proposal.proposalType));`,
  },
  {
    id: 'C3',
    file: COMMIT,
    why: "A path is encrypted under the new epoch's context, its changed extensions included.",
    rfc: '7.6, 12.4.1',
    upstream: '7508e25',
    from: `createUpdatePath(res.tree, toLeafIndex(state.privatePath.leafIndex), state.groupContext,`,
    to: `createUpdatePath(res.tree, toLeafIndex(state.privatePath.leafIndex), { ...state.groupContext, extensions: (res.additionalResult.kind === "memberCommit" ? res.additionalResult.extensions : undefined) ?? state.groupContext.extensions },`,
  },
  {
    id: 'C4',
    file: CLIENT,
    why: 'An empty GroupContextExtensions proposal clears the extensions.',
    rfc: '12.1.7',
    upstream: '8679a38',
    from: `const newExtensions = flattenExtensions(grouped.group_context_extensions);`,
    to: `const newExtensions = grouped.group_context_extensions.length > 0 ? flattenExtensions(grouped.group_context_extensions) : undefined;`,
  },
  {
    id: 'C4',
    file: COMMIT,
    why: 'The same, for who commits.',
    rfc: '12.1.7',
    upstream: '8679a38',
    from: `res.additionalResult.kind === "memberCommit" && res.additionalResult.extensions.length > 0`,
    to: `res.additionalResult.kind === "memberCommit" && res.additionalResult.extensions !== undefined`,
  },
  {
    id: 'C4',
    file: PROCESS,
    why: 'The same, for who processes.',
    rfc: '12.1.7',
    upstream: '8679a38',
    from: `result.additionalResult.kind === "memberCommit" && result.additionalResult.extensions.length > 0`,
    to: `result.additionalResult.kind === "memberCommit" && result.additionalResult.extensions !== undefined`,
  },
  {
    id: 'C5',
    file: PROCESS,
    why: 'Pre-shared keys of private commits are looked up too.',
    rfc: '12.4.2',
    upstream: '6888c63',
    from: `message.privateMessage, emptyPskIndex, cs, action)`,
    to: `message.privateMessage, pskIndex, cs, action)`,
  },
  {
    id: 'C6',
    file: COMMIT,
    why: 'A resync that matches no leaf is an error; stock goes round and round below index zero.',
    rfc: '12.4.3.2',
    upstream: 'd355534',
    from: `    const updatedTree = formerLeafIndex !== undefined ?`,
    to: `    if (formerLeafIndex !== undefined && formerLeafIndex < 0)\n        throw new ValidationError("No leaf matches the KeyPackage that resyncs");\n    const updatedTree = formerLeafIndex !== undefined ?`,
  },
  {
    id: 'C7',
    file: COMMIT,
    why: 'external_pub holds an HPKEPublicKey, which is opaque<V>: with its length before it.',
    rfc: '12.4.3.2',
    upstream: '4e625a5',
    times: 2,
    from: `extensionType: "external_pub", extensionData: externalPub }`,
    to: `extensionType: "external_pub", extensionData: encode(varLenDataEncoder)(externalPub) }`,
  },
  {
    id: 'C7',
    file: COMMIT,
    why: 'The same, read.',
    rfc: '12.4.3.2',
    upstream: '4e625a5',
    from: `await exportSecret(externalPub.extensionData, cs)`,
    to: `await exportSecret(decodeVarLenData(externalPub.extensionData, 0)[0], cs)`,
  },
  {
    id: 'C7',
    file: COMMIT,
    why: 'What the two need.',
    rfc: '12.4.3.2',
    upstream: '4e625a5',
    from: `import { encode } from "./codec/tlsEncoder.js";`,
    to: `import { encode } from "./codec/tlsEncoder.js";\nimport { decodeVarLenData, varLenDataEncoder } from "./codec/variableLength.js";`,
  },
  {
    id: 'C9',
    file: CLIENT,
    why: 'A member is removed when a Remove names its leaf, even if an Add of the same commit fills the place again.',
    rfc: '12.4.2',
    upstream: 'none',
    from: `const selfRemoved = mutatedTree[leafToNodeIndex(toLeafIndex(state.privatePath.leafIndex))] === undefined;`,
    to: `const selfRemoved = grouped.remove.some(({ proposal }) => proposal.remove.removed === state.privatePath.leafIndex);`,
  },
  {
    id: 'C10',
    file: COMMIT,
    why: "The past epoch keeps the ratchets after the commit's key was taken from them, not before.",
    rfc: '9.2',
    upstream: 'none',
    from: `const [commit, _newTree, consumedSecrets] =`,
    to: `const [commit, secretTreeAfterCommit, consumedSecrets] =`,
  },
  {
    id: 'C10',
    file: COMMIT,
    why: 'The same.',
    rfc: '9.2',
    upstream: 'none',
    from: `const [historicalReceiverData, consumedEpochData] = addHistoricalReceiverData(state);`,
    to: `const [historicalReceiverData, consumedEpochData] = addHistoricalReceiverData({ ...state, secretTree: secretTreeAfterCommit });`,
  },
  {
    id: 'C11',
    file: CLIENT,
    why: "A new leaf's keys are compared with the members'; stock compares the members' among themselves alone.",
    rfc: '7.3',
    upstream: 'none',
    from: `export async function validateLeafNodeCredentialAndKeyUniqueness(tree, leafNode, existingLeafIndex) {
    const hpkeKeys = new Set();
    const signatureKeys = new Set();
`,
    to: `export async function validateLeafNodeCredentialAndKeyUniqueness(tree, leafNode, existingLeafIndex) {
    const hpkeKeys = new Set();
    const signatureKeys = new Set();
    hpkeKeys.add(leafNode.hpkePublicKey);
    signatureKeys.add(leafNode.signaturePublicKey);
`,
  },
  {
    id: 'C11',
    file: CLIENT,
    why: 'It is compared with the tree as the proposals before it leave it: keys of removed leaves may come back.',
    rfc: '12.4.2',
    upstream: 'none',
    from: `        throwIfDefined(await validateKeyPackage(proposal.add.keyPackage, gc, ratchetTree, sentByClient, lifetimeConfig, authService, s));
        const [tree, ws] = await acc;
`,
    to: `        const [tree, ws] = await acc;
        throwIfDefined(await validateKeyPackage(proposal.add.keyPackage, gc, tree, sentByClient, lifetimeConfig, authService, s));
`,
  },
  {
    id: 'C12',
    file: SECRETS,
    why: 'Path secrets end at the highest node of the filtered direct path; a root that stays blank gets none.',
    rfc: '7.4, 12.4.1',
    upstream: 'none',
    from: `        const nextIndex = findFirstNonBlankAncestor(tree, currentIndex);
`,
    to: `        const nextIndex = findFirstNonBlankAncestor(tree, currentIndex);
        if (tree[nextIndex] === undefined)
            break;
`,
  },
  {
    id: 'C12',
    file: SECRETS,
    why: 'The commit secret follows the secret of that highest node, not one that a blank root would have.',
    rfc: '12.4.1',
    upstream: 'none',
    from: `    const rootIndex = root(leafWidth(tree.length));
    const path = await pathToRoot(tree, nodeIndex, pathSecret, kdf);
    const rootSecret = path[rootIndex];
`,
    to: `    const path = await pathToRoot(tree, nodeIndex, pathSecret, kdf);
    const rootSecret = path[topOfPath(tree, nodeIndex)];
`,
  },
  {
    id: 'C12',
    file: SECRETS,
    why: 'Which that is.',
    rfc: '4.1.2',
    upstream: 'none',
    from: `export async function pathToRoot(`,
    to: `export function topOfPath(tree, nodeIndex) {
    const rootIndex = root(leafWidth(tree.length));
    let top = nodeIndex;
    while (top !== rootIndex) {
        const above = findFirstNonBlankAncestor(tree, top);
        if (tree[above] === undefined)
            break;
        top = above;
    }
    return top;
}
export async function pathToRoot(`,
  },
  {
    id: 'C12',
    file: PROCESS,
    why: 'The same, for who processes.',
    rfc: '12.4.2',
    upstream: 'none',
    from: `    const rootIndex = root(leafWidth(tree.length));
    const rootSecret = pathSecrets[rootIndex];
`,
    to: `    const rootSecret = pathSecrets[topOfPath(tree, toNodeIndex(secret.nodeIndex))];
`,
  },
  {
    id: 'C12',
    file: PROCESS,
    why: 'What it needs.',
    rfc: '12.4.2',
    upstream: 'none',
    from: `import { pathToRoot } from "./pathSecrets.js";`,
    to: `import { pathToRoot, topOfPath } from "./pathSecrets.js";`,
  },
  {
    id: 'S2',
    file: 'mlkem/esm/src/utils.js',
    why: 'No dynamic import: a service worker refuses it, and workerd has no module named crypto.',
    rfc: '-',
    upstream: 'none',
    from: `        const { webcrypto } = await import("crypto"); // node:crypto\n        return webcrypto;`,
    to: `        return globalThis.crypto.webcrypto;`,
  },
  {
    id: 'S3',
    file: PROCESS,
    why: 'core/mls judges an opened commit before it is applied (MLS5); the one call for both opens it a second time.',
    rfc: '12.4.2',
    upstream: 'none',
    from: `async function processCommit(state, content, wireformat, pskSearch, callback, cs) {`,
    to: `export async function processCommit(state, content, wireformat, pskSearch, callback, cs) {`,
  },
  {
    id: 'S3',
    file: 'ts-mls/dist/src/processMessages.d.ts',
    why: 'Its type.',
    rfc: '12.4.2',
    upstream: 'none',
    from: `/** @public */
export declare function processMessage(`,
    to: `export declare function processCommit(state: ClientState, content: import("./authenticatedContent.js").AuthenticatedContentCommit, wireformat: import("./wireformat.js").WireformatName, pskSearch: PskIndex, callback: IncomingMessageCallback, cs: CiphersuiteImpl): Promise<NewStateWithActionTaken>;
/** @public */
export declare function processMessage(`,
  },
  {
    id: 'P1',
    file: 'ts-mls/dist/src/messageProtection.js',
    why: 'The lazy secret tree has no node for a leaf that has not sent yet; it makes one, or throws the same error.',
    rfc: '9',
    upstream: '#437',
    from: `    const node = secretTree[leafToNodeIndex(toLeafIndex(leafIndex))];\n    if (node === undefined)\n        throw new InternalError("Bad node index for secret tree");\n`,
    to: '',
  },
  {
    id: 'P2',
    file: 'ts-mls/dist/src/treeHash.js',
    why: 'Tree hashes are remembered by node.',
    rfc: '7.8',
    upstream: '#441',
    from: `export async function treeHashRoot(tree, h) {`,
    to: `export { treeHash, treeHashRoot } from "./treeHashes.js";\nasync function stockTreeHashRoot(tree, h) {`,
  },
  {
    id: 'P2',
    file: 'ts-mls/dist/src/treeHash.js',
    why: 'The same.',
    rfc: '7.8',
    upstream: '#441',
    from: `export async function treeHash(tree, subtreeIndex, h) {`,
    to: `async function treeHash(tree, subtreeIndex, h) {`,
  },
  {
    id: 'P3',
    file: 'ts-mls/dist/src/parentHash.js',
    why: 'Parent hashes in linear time: 700,000 hashes at 1,000 members become 2,000.',
    rfc: '7.9',
    upstream: '#442',
    from: `export async function verifyParentHashes(tree, h) {`,
    to: `export { calculateParentHash, verifyParentHashes } from "./treeHashes.js";\nasync function stockVerifyParentHashes(tree, h) {`,
  },
  {
    id: 'P3',
    file: 'ts-mls/dist/src/parentHash.js',
    why: 'The same.',
    rfc: '7.9',
    upstream: '#442',
    from: `export async function calculateParentHash(tree, nodeIndex, h) {`,
    to: `async function calculateParentHash(tree, nodeIndex, h) {`,
  },
  {
    id: 'P4',
    file: 'ts-mls/dist/src/codec/tlsDecoder.js',
    why: 'A struct is read in a loop, not by copying a growing list for each field.',
    rfc: '-',
    upstream: '#195',
    from: `        const result = decoders.reduce((acc, decoder) => {
            if (!acc)
                return undefined;
            const decoded = decoder(b, acc.offset);
            if (!decoded)
                return undefined;
            const [value, length] = decoded;
            return {
                values: [...acc.values, value],
                offset: acc.offset + length,
                totalLength: acc.totalLength + length,
            };
        }, { values: [], offset, totalLength: 0 });
        if (!result)
            return;
        return [f(...result.values), result.totalLength];
`,
    to: `        const values = [];
        let totalLength = 0;
        for (const decoder of decoders) {
            const decoded = decoder(b, offset + totalLength);
            if (!decoded)
                return undefined;
            values.push(decoded[0]);
            totalLength += decoded[1];
        }
        return [f(...values), totalLength];
`,
  },
  {
    id: 'P5',
    file: CLIENT,
    why: 'What they need.',
    rfc: '7.3',
    upstream: '#438',
    from: `import { arraysEqual } from "./util/array.js";`,
    to: `import { SeenKeys } from "./byteKeys.js";`,
  },
  {
    id: 'P8',
    file: 'ts-mls/dist/src/ratchetTree.js',
    why: 'Leaves with another signature key are passed over before both are encoded.',
    rfc: '-',
    upstream: 'none',
    from: `            return constantTimeEqual(encode(leafNodeEncoder)(node.leaf), encode(leafNodeEncoder)(leaf));`,
    to: `            return constantTimeEqual(node.leaf.signaturePublicKey, leaf.signaturePublicKey) && constantTimeEqual(encode(leafNodeEncoder)(node.leaf), encode(leafNodeEncoder)(leaf));`,
  },
  {
    id: 'P10',
    file: CLIENT,
    why: 'The leaves of a joined tree are verified side by side, by sixty-four, and not each when the one before it is done.',
    rfc: '12.4.3.1',
    upstream: '#637',
    from: `            const err = n.leaf.leafNodeSource === "key_package"
                ? await validateLeafNodeKeyPackage(n.leaf, groupContext, false, config, authService, cs.signature)
                : await validateLeafNodeUpdateOrCommit(n.leaf, nodeToLeafIndex(nodeIndex), groupContext, authService, cs.signature);
            if (err !== undefined)
                return err;
`,
    to: `            leafChecks.push(() => n.leaf.leafNodeSource === "key_package"
                ? validateLeafNodeKeyPackage(n.leaf, groupContext, false, config, authService, cs.signature)
                : validateLeafNodeUpdateOrCommit(n.leaf, nodeToLeafIndex(nodeIndex), groupContext, authService, cs.signature));
`,
  },
  {
    id: 'P10',
    file: CLIENT,
    why: 'The same.',
    rfc: '12.4.3.1',
    upstream: '#637',
    from: `    const credentialTypes = new Set();
    for (const [i, n] of tree.entries()) {`,
    to: `    const credentialTypes = new Set();
    const leafChecks = [];
    for (const [i, n] of tree.entries()) {`,
  },
  {
    id: 'P10',
    file: CLIENT,
    why: 'The same, once the shape of the tree is known to be sound.',
    rfc: '12.4.3.1',
    upstream: '#637',
    from: `    const parentHashesVerified = await verifyParentHashes(tree, cs.hash);
    if (!parentHashesVerified)
        return new CryptoVerificationError("Unable to verify parent hash");
    if (!constantTimeEqual(treeHash, await treeHashRoot(tree, cs.hash)))
        return new ValidationError("Unable to verify tree hash");
`,
    to: `    if (!constantTimeEqual(treeHash, await treeHashRoot(tree, cs.hash)))
        return new ValidationError();
    if (!(await verifyParentHashes(tree, cs.hash)))
        return new CryptoVerificationError();
    let next = 0;
    let firstErr = undefined;
    const goOn = async () => {
        while (next < leafChecks.length && firstErr === undefined) {
            const err = await leafChecks[next++]();
            firstErr ??= err;
        }
    };
    await Promise.all(Array.from({ length: 64 }, goOn));
    return firstErr;
`,
  },
  {
    id: 'P11',
    file: 'ts-mls/dist/src/util/enumHelpers.js',
    why: 'The names of an enumeration are turned round once, not for each value that is read: eight times a leaf, twenty suites long.',
    rfc: '-',
    upstream: 'none',
    from: `    return (n) => (Object.values(t).includes(n) ? reverseMap(t)[n] : undefined);
`,
    to: `    const names = new Map(Object.entries(t).map(([name, value]) => [value, name]));
    return (n) => names.get(n);
`,
  },
  {
    id: 'P11',
    file: 'ts-mls/dist/src/util/enumHelpers.js',
    why: 'The same.',
    rfc: '-',
    upstream: 'none',
    from: `    return (n) => {
        const decoded = enumNumberToKey(rec)(n);
`,
    to: `    const toKey = enumNumberToKey(rec);
    return (n) => {
        const decoded = toKey(n);
`,
  },
  {
    id: 'P9',
    file: 'ts-mls/dist/src/updatePath.js',
    why: 'One set instead of comparing each key of the path with each node of the tree.',
    rfc: '12.4.2',
    upstream: 'none',
    from: `    const pathNodePublicKeysExistInTree = path.nodes.some((node) => tree.some((treeNode) => {
        return treeNode?.nodeType === "parent"
            ? constantTimeEqual(treeNode.parent.hpkePublicKey, node.hpkePublicKey)
            : false;
    }));`,
    to: `    const keysOfPath = new SeenKeys();
    for (const node of path.nodes)
        keysOfPath.add(node.hpkePublicKey);
    const pathNodePublicKeysExistInTree = tree.some((treeNode) => treeNode?.nodeType === "parent" && keysOfPath.has(treeNode.parent.hpkePublicKey));`,
  },
  {
    id: 'P9',
    file: 'ts-mls/dist/src/updatePath.js',
    why: 'What it needs.',
    rfc: '-',
    upstream: 'none',
    from: `import { constantTimeEqual } from "./util/constantTimeCompare.js";`,
    to: `import { SeenKeys } from "./byteKeys.js";\nimport { constantTimeEqual } from "./util/constantTimeCompare.js";`,
  },
  {
    id: 'Z4',
    file: 'mlkem/esm/src/utils.js',
    why: 'A proxy of the global object, made to look up one property of it.',
    rfc: '-',
    upstream: 'none',
    from: `import * as dntShim from "../_dnt.shims.js";\n`,
    to: '',
  },
  {
    id: 'Z4',
    file: 'mlkem/esm/src/utils.js',
    why: 'The same.',
    rfc: '-',
    upstream: 'none',
    from: `if (typeof dntShim.dntGlobalThis !== "undefined" && globalThis.crypto !== undefined) {`,
    to: `if (globalThis.crypto !== undefined) {`,
  },
  {
    id: 'Z4',
    file: 'mlkem/esm/src/sha3/sha3.js',
    why: "Its copy of noble's helpers, which are in every bundle anyway.",
    rfc: '-',
    upstream: 'none',
    from: `from "./utils.js";`,
    to: `from "@noble/hashes/utils.js";`,
  },
]

const CODECS =
  'encode|contramapBufferEncoders?|composeBufferEncoders|mapDecoders?|mapDecoderOption|mapDecodersOption|flatMapDecoder|flatMapDecoderAndMap|orDecoder|succeedDecoder|varLenTypeEncoder|decodeVarLenType|optionalEncoder|decodeOptional|bigintMapEncoder|decodeBigintMap|numberRecordEncoder|decodeNumberRecord|base64RecordEncoder|decodeBase64Record|enumNumberToKey|openEnumNumberToKey|openEnumNumberEncoder'

/**
 * @typedef {{ id: string, in: string, why: string, match: RegExp, to: string, times: number }} Rule
 *
 * The same in many places: each match of a pattern in a file, or in every script below a folder. Applied after
 * the patches.
 * @type {Rule[]}
 */
export const RULES = [
  {
    id: 'P5',
    in: CLIENT,
    why: 'Keys of unchanged nodes are not encoded anew at each commit.',
    match:
      /const (hpkeKey|signatureKey) = bytesToBase64\((\w+\.(?:leaf|parent)\.\w+)\);\n\s*if \(\1s\.has\(\1\)(.*)\n(.*)\n\s*else\n\s*\1s\.add\(\1\);/g,
    to: 'if ($1s.add($2)$3\n$4',
    times: 6,
  },
  {
    id: 'P5',
    in: CLIENT,
    why: 'The same.',
    match: /(?<=(?:hpke|signature)Keys = )new Set\(\)/g,
    to: 'new SeenKeys()',
    times: 4,
  },
  {
    id: 'Z1',
    in: 'ts-mls/dist/src',
    why: 'Says to bundlers that making a codec does nothing else, so that those which nobody uses are left out.',
    match: new RegExp(`(?<![\\w.])(?<!function )(?=(?:${CODECS})\\()`, 'g'),
    to: '/* @__PURE__ */ ',
    times: 507,
  },
  {
    id: 'Z2',
    in: 'ts-mls/dist/src',
    why: 'Texts of errors: core/mls gives each a code of its own, and says no text to anybody.',
    match: /(?<=new \w*Error\()(?:"[^"]*"|`[^`]*`)(?=\))/g,
    to: '',
    times: 162,
  },
  {
    id: 'Z2',
    in: 'ts-mls/dist/src/mlsError.js',
    why: 'A preface to an error that nobody sees but who has the source.',
    match: /super\(`[^`]*`\)/g,
    to: 'super(message)',
    times: 1,
  },
  ...['mlKemBase.js', 'mlKem768.js', 'sha3/sha3.js'].map((file, i) => ({
    id: 'Z3',
    in: `mlkem/esm/src/${file}`,
    why: 'Fields are assigned, not defined in six lines each.',
    match:
      /Object\.defineProperty\(this, "(\w+)", \{\s*enumerable: true,\s*configurable: true,\s*writable: true,\s*value: (.*)\s*\}\);/g,
    to: 'this.$1 = $2;',
    times: [30, 5, 12][i] ?? 0,
  })),
  {
    id: 'Z5',
    in: 'mlkem/esm/src/consts.js',
    why: 'The powers of the root of unity are computed (FIPS 203 appendix A, in Montgomery form): 256 numbers do not compress.',
    match: /export const NTT_ZETAS = \[[^\]]*\];[\s\S]*export const NTT_ZETAS_INV = \[[^\]]*\];/g,
    to: `const R = 2285; // 2^16 modulo Q
const exponent = (i) => [0, 1, 2, 3, 4, 5, 6].reduce((n, bit) => n | (((i >> bit) & 1) << (6 - bit)), 0);
const zeta = (i) => Array(exponent(i)).fill(17).reduce((power, root) => (power * root) % Q, R);
export const NTT_ZETAS = Array.from({ length: 128 }, (_, i) => zeta(i));
// The last one is no root: 2^32 / 128 modulo Q, by which an inverse transform ends.
export const NTT_ZETAS_INV = [...NTT_ZETAS.slice(1).reverse().map((power) => Q - power), 1441];`,
    times: 1,
  },
  {
    id: 'Z6',
    in: 'ts-mls/dist/src/crypto/ciphersuite.js',
    why: 'Names of suites that Stave does not speak: an unknown one is told by its number.',
    match: /^ {4}MLS_\w+: (?!1,)\d+,\n/gm,
    to: '',
    times: 18,
  },
  {
    id: 'Z7',
    in: '@noble/hashes/sha2.js',
    why: "SHA-2's round constants are computed from what they are (FIPS 180-4 sections 4.2.2 and 4.2.3): 160 random words do not compress.",
    match: /const SHA256_K = [^;]*;/g,
    to: `const K512 = /* @__PURE__ */ (() => {
    const primes = [];
    for (let n = 2; primes.length < 80; n++)
        if (primes.every((prime) => n % prime !== 0))
            primes.push(n);
    // 64 bits of the fraction of the cube root, by Newton's method; split drops what is above them
    return u64.split(primes.map((prime) => {
        const cube = BigInt(prime) << 192n;
        let root = 9n << 64n;
        for (let next = 8n << 64n; next < root; next = (2n * root + cube / (root * root)) / 3n)
            root = next;
        return root;
    }));
})();
const SHA256_K = /* @__PURE__ */ (() => Uint32Array.from(K512[0].subarray(0, 64)))();`,
    times: 1,
  },
  {
    id: 'Z7',
    in: '@noble/hashes/sha2.js',
    why: 'The same, not a second time.',
    match: /\/\/ prettier-ignore\nconst K512 = [^;]*\.map\(n => BigInt\(n\)\)\)\)\(\);\n/g,
    to: '',
    times: 1,
  },
  {
    id: 'P12',
    in: 'ts-mls/dist/src/sender.js',
    why: 'The four bytes of the guard are written into the array, as all else is.',
    match: /const view = new Uint8Array\(buffer, offset, 4\);\n\s*view\.set\(g, 0\);/g,
    to: 'buffer.set(g, offset);',
    times: 1,
  },
  {
    id: 'P12',
    in: 'ts-mls/dist/src/transcriptHash.js',
    why: 'The same for a hash that is over two parts.',
    match: /(?<=write\(\w+\.byteLength, )buf(?=\))/g,
    to: 'arr',
    times: 2,
  },
  {
    id: 'P12',
    in: 'ts-mls/dist/src/codec/tlsEncoder.d.ts',
    why: 'Its type.',
    match: /buffer: ArrayBuffer/g,
    to: 'buffer: Uint8Array',
    times: 2,
  },
  {
    id: 'P12',
    in: 'ts-mls/dist/src/codec/variableLength.d.ts',
    why: 'The same.',
    match: /buffer: ArrayBuffer/g,
    to: 'buffer: Uint8Array',
    times: 1,
  },
  ...['mlKem768.js', 'mlKemBase.js'].map((file) => ({
    id: 'Z3',
    in: `mlkem/esm/src/${file}`,
    why: 'Every key pair of Stave comes from a seed.',
    match: / {4}(?:async generateKeyPair|_generateKeyPairCore)\(\) \{[\s\S]*?\n {4}\}\n/g,
    to: '',
    times: 1,
  })),
  {
    id: 'Z3',
    in: 'mlkem/esm/src/sha3/sha3.js',
    why: 'Methods of a sponge that nobody calls.',
    match: / {4}(?:clone|xofInto|xof|_cloneInto)\([\s\S]*?\n {4}\}\n/g,
    to: '',
    times: 4,
  },
  {
    id: 'Z3',
    in: 'mlkem/esm/src/mlKemBase.js',
    why: 'What a field is before the size of the parameters is known.',
    match: /^ *this\._\w+ = (?:void 0|undefined|0);\n/gm,
    to: '',
    times: 24,
  },
  {
    id: 'Z8',
    in: CLIENT,
    why: 'The epochs that are let go are told by core/mls (advance.ts); here they are collected and forgotten.',
    match: / {4}const cutoff = [\s\S]*?(?= {4}return \[new Map\(sortedEpochs)/g,
    to: '',
    times: 1,
  },
  {
    id: 'S1',
    in: CLIENT,
    why: "A lifetime is judged by core/mls at the commit's own time (MLS9), never by the clock of whoever looks.",
    match: / {4}\/\/verify lifetime\n[\s\S]*?(?= {4}const commonError)/g,
    to: '',
    times: 1,
  },
  {
    id: 'Z8',
    in: 'ts-mls/dist/src/util/byteArray.js',
    why: 'Base64 by what every engine has, not by that or a Buffer.',
    match: /export function bytesToBase64[\s\S]*?\n\}\nexport function base64ToBytes[\s\S]*?\n\}\n/g,
    to: `export function bytesToBase64(bytes) {
    return btoa(String.fromCharCode(...bytes));
}
export function base64ToBytes(base64) {
    return Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
}
`,
    times: 1,
  },
  {
    id: 'Z9',
    in: CLIENT,
    why: 'A group context has the extension 0xF0A1 alone (MLS4), so it requires no capabilities: judged before a commit is applied, and of a joined group before it is used.',
    match:
      / {4}const requiredCapabilities = (?:allExtensions[\s\S]*?(?= {4}return await validateExternalSenders)|groupContext[\s\S]*?(?= {4}const extensionsSupported))/g,
    to: '',
    times: 2,
  },
  {
    id: 'Z9',
    in: CLIENT,
    why: 'Nor has it external senders.',
    match: /^ {4}(?:return |throwIfDefined\()await validateExternalSenders.*\n/gm,
    to: '',
    times: 2,
  },
  {
    id: 'Z9',
    in: 'ts-mls/dist/src/publicMessage.js',
    why: 'And so nothing from one is verified: core/mls refuses all public messages but external commits (MLS7).',
    match: /const sender = senderFromExtension[\s\S]*?return sender\.signaturePublicKey;/g,
    to: 'throw new ValidationError();',
    times: 1,
  },
  {
    id: 'Z4',
    in: 'mlkem/esm/src/utils.js',
    why: 'Every engine that Stave runs in has crypto where it belongs.',
    match: /(?<=export async function loadCrypto\(\) \{\n)[\s\S]*?(?=^\})/gm,
    to: '    return globalThis.crypto;\n',
    times: 1,
  },
  {
    id: 'Z10',
    in: 'mlkem/esm/mod.js',
    why: 'ML-KEM-768 alone is used, and what follows makes the others wrong.',
    match: /^export \{ (?:create)?MlKem(?:512|1024) \}.*\n|^export \{ createMlKem768 \}.*\n/gm,
    to: '',
    times: 5,
  },
  ...[
    {
      match: /^ *this\._(?:k|du|dv|eta1|eta2|skSize|pkSize|compressedUSize|compressedVSize) = .*;\n/gm,
      to: '',
      times: [0, 9],
    },
    { match: /this\._k\b/g, to: '3', times: [40, 0] },
    { match: /this\._eta[12]\b/g, to: '2', times: [4, 0] },
    { match: /this\._skSize\b/g, to: '1152', times: [16, 0] },
    { match: /this\._pkSize\b/g, to: '1184', times: [10, 0] },
    { match: /this\._compressedUSize\b/g, to: '960', times: [7, 0] },
    { match: /this\._compressedVSize\b/g, to: '128', times: [3, 0] },
  ].flatMap(({ match, to, times }) =>
    ['mlKemBase.js', 'mlKem768.js']
      .map((file, i) => ({
        id: 'Z10',
        in: `mlkem/esm/src/${file}`,
        why: 'The parameters of ML-KEM-768 (FIPS 203 section 8), not fields that say which.',
        match,
        to,
        times: times[i] ?? 0,
      }))
      .filter(({ times: any }) => any > 0),
  ),
  ...[
    { file: '@noble/hashes/utils.js', times: 12 },
    { file: '@noble/hashes/hmac.js', times: 1 },
    { file: '@noble/hashes/hkdf.js', times: 1 },
    { file: '@noble/hashes/_md.js', times: 2 },
    { file: 'mlkem/esm/src/mlKemBase.js', times: 6 },
    { file: 'mlkem/esm/src/sha3/sha3.js', times: 2 },
  ].map(({ file, times }) => ({
    id: 'Z2',
    in: file,
    why: 'The same: what they say of an argument, only who has the source could use.',
    match: /(?<=throw new Error\()[^\n]*(?=\);)/g,
    to: '',
    times,
  })),
  {
    id: 'Z2',
    in: '@noble/hashes/utils.js',
    why: 'What those texts were made of.',
    match: /^ *const (?:prefix|ofLen|got) = .*;\n/gm,
    to: '',
    times: 4,
  },
  {
    id: 'Z8',
    in: 'ts-mls/dist/src/leafNode.js',
    why: 'Three ways to copy a leaf, of which two are the same.',
    match: /switch \(leafNode\.leafNodeSource\) \{\n {8}case "key_package":\n {12}return \{[\s\S]*?\n {4}\}/g,
    to: 'return leafNode.leafNodeSource === "key_package" ? leafNode : { ...leafNode, groupId, leafIndex };',
    times: 1,
  },
  {
    id: 'Z8',
    in: 'ts-mls/dist/src/leafNode.js',
    why: 'Twice the same function.',
    match: /export async function signLeafNodeKeyPackage[\s\S]*?\n\}\n/g,
    to: 'export const signLeafNodeKeyPackage = signLeafNodeCommit;\n',
    times: 1,
  },
  ...[
    { match: /^.*_(?:pool|buf)Prf2(?:\.fill|\.reset)?\b.*\n|^.*const prf2Len.*\n/gm, times: 9 },
    { match: / {4}(?:_prf2|_sampleNoise2)\([\s\S]*?\n {4}\}\n/g, times: 2 },
  ].map(({ match, times }) => ({
    id: 'Z10',
    in: 'mlkem/esm/src/mlKemBase.js',
    why: 'Both kinds of noise have the same parameter there, and need one source.',
    match,
    to: '',
    times,
  })),
  {
    id: 'Z10',
    in: 'mlkem/esm/src/mlKemBase.js',
    why: 'The same.',
    match: /(?<=this\.)_sampleNoise2(?=\()/g,
    to: '_sampleNoise1',
    times: 2,
  },
  ...[
    { match: /^ *this\._bufPkCheck\b.*\n|^ *(?:const pkCheck|this\._polyToBytes\(pkCheck)\b.*\n/gm, times: 4 },
    { match: / {8}if \(!equalUint8Array\([\s\S]*?\n {8}\}\n/g, times: 1 },
  ].map(({ match, times }) => ({
    id: 'Z11',
    in: 'mlkem/esm/src/mlKemBase.js',
    why: "Whether a public key is one is asked when it comes (core/crypto/ml-kem.ts, MLS25), not with each seal and, of one's own, with each opening.",
    match,
    to: '',
    times,
  })),
  ...[
    { file: 'mlKemBase.js', match: / {4}async _setup\([\s\S]*?\n {4}\}\n/g, times: 1 },
    { file: 'mlKem768.js', match: /^ *await this\._setup\(\);\n/gm, times: 3 },
  ].map(({ file, match, times }) => ({
    id: 'Z4',
    in: `mlkem/esm/src/${file}`,
    why: 'Every engine that Stave runs in has crypto where it belongs.',
    match,
    to: '',
    times,
  })),
  {
    id: 'Z4',
    in: 'mlkem/esm/src/mlKemBase.js',
    why: 'The same.',
    match: /this\._api\.getRandomValues/g,
    to: 'crypto.getRandomValues',
    times: 1,
  },
  {
    id: 'Z8',
    in: CLIENT,
    why: 'What a commit may have is judged before (judge-commit.ts, MLS3, MLS7, MLS9, MLS13): no update, no PSK, at most one change of context, no remove of its author, no leaf that claims less or is there.',
    match:
      / {4}const (multiplePskWithSamePskId|multipleGroupContextExtensions|containsUpdateByCommitter|containsRemoveOfCommitter|everyLeafSupportsGroupExtensions|addsContainExistingKeypackage) = [\s\S]*?;\n {4}if \(!?\1\)\n.*\n| {4}const allExtensions = .*;\n/g,
    to: '',
    times: 7,
  },
  {
    id: 'Z8',
    in: CLIENT,
    why: 'The same: two removes of one leaf are what is left of it.',
    match:
      /p\.update\.some\(\(\{ senderLeafIndex: a \}[\s\S]*?\|\|\n {8}(p\.remove\.some\(\(a, indexA\) => p\.remove\.some\([^|]*) \|\|\n.*\)\);/g,
    to: '$1);',
    times: 1,
  },
  {
    id: 'Z8',
    in: CLIENT,
    why: 'The same of a ReInit and of an external commit (judge-external.ts, MLS20, MLS21).',
    match: /^ *throwIfDefined\((?:validateExternalInit\(grouped\)|validateReinit\(.*\))\);\n/gm,
    to: '',
    times: 2,
  },
  {
    id: 'Z3',
    in: 'mlkem/esm/src/mlKem768.js',
    why: 'An error is an error, whatever it is called.',
    match: /try \{\n\s*(return .*)\n\s*\}\n\s*catch \(e\) \{\n.*\n\s*\}/g,
    to: '$1',
    times: 3,
  },
]
