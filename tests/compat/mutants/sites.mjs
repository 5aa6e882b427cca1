// Where a source can be broken, and how: each place becomes a switch in the code (mutant schemata), so all mutants are in one build.
import ts from "typescript";

const { SyntaxKind: Kind } = ts;

/** What takes the place of an operator. */
const SWAPPED = new Map([
  [Kind.AmpersandAmpersandToken, "||"],
  [Kind.BarBarToken, "&&"],
  [Kind.LessThanToken, "<="],
  [Kind.LessThanEqualsToken, "<"],
  [Kind.GreaterThanToken, ">="],
  [Kind.GreaterThanEqualsToken, ">"],
  [Kind.EqualsEqualsEqualsToken, "!=="],
  [Kind.ExclamationEqualsEqualsToken, "==="],
  [Kind.PlusToken, "-"],
  [Kind.MinusToken, "+"],
  [Kind.AsteriskToken, "/"],
  [Kind.SlashToken, "*"],
]);

/** Calls whose texts are for people: no test compares them. */
const MESSAGES = /^(fail|invalid|misplaced|warn)$/;

/**
 * The code of a source with a switch at each place: `$mutant(n)` says whether mutant `n` is on, `$condition(n, value)` gives the condition,
 * negated if it is on. `first`: the number of its first mutant. Returns the code and the mutants: line, kind, and the text that breaks.
 */
export function instrument(text, first) {
  const source = ts.createSourceFile("source.ts", text, ts.ScriptTarget.ESNext, true);
  const sites = [];
  const site = (node, kind) => {
    const { line } = source.getLineAndCharacterOfPosition(node.getStart(source));
    const shown = node.getText(source).replace(/\s+/g, " ").slice(0, 70);
    return first + sites.push({ line: line + 1, kind, text: shown }) - 1;
  };
  const raw = (node) => node.getText(source);

  /** The code of a node, from the end of the one before it. */
  const render = (node) => {
    const start = node.getStart(source);
    const lead = text.slice(node.pos, start);
    return lead + whole(node, start);
  };
  const inside = (node, start) => {
    let at = start;
    let code = "";
    ts.forEachChild(node, (child) => {
      if (child.pos < at && child.getStart(source) < at) return;
      code += text.slice(at, Math.max(at, child.pos));
      const made = render(child);
      code += child.pos < at ? made.slice(at - child.pos) : made;
      at = child.end;
    });
    return code + text.slice(at, node.end);
  };

  const whole = (node, start) => {
    if (isOfTypes(node)) return raw(node);
    const kind = mutationOf(node);
    if (!kind) return inside(node, start);
    if (kind === "block") {
      const number = site(node.parent.name ?? node, "early return");
      const code = inside(node, start);
      return `{if($mutant(${number}))return;${code.slice(1)}`;
    }
    const number = site(node, kind);
    switch (kind) {
      case "condition":
        return `($condition(${number},(${isLiteral(node) ? raw(node) : again(node, start)})))`;
      case "operator": {
        const { left, operatorToken, right } = node;
        const other = SWAPPED.get(operatorToken.kind);
        const broken = other ? `(${raw(left)}) ${other} (${raw(right)})` : raw(left);
        return `($mutant(${number})?(${broken}):(${inside(node, start)}))`;
      }
      case "negation":
        return `($mutant(${number})?(${raw(node.operand)}):(${inside(node, start)}))`;
      case "return":
        return `return $mutant(${number})?undefined:(${render(node.expression)});`;
      case "statement":
        return `{if(!$mutant(${number})){${inside(node, start)}}}`;
      case "text":
        return `($mutant(${number})?${raw(node).length > 2 ? '""' : '"mutant"'}:${inside(node, start)})`;
      case "number":
        return `($mutant(${number})?${raw(node)}+1:${raw(node)})`;
      case "boolean":
        return `($mutant(${number})?${node.kind === Kind.FalseKeyword}:${raw(node)})`;
    }
  };
  /** The mutations of a condition's own operator, inside of its negation. */
  const again = (node, start) => {
    const kind = ownMutation(node);
    if (!kind) return inside(node, start);
    const number = site(node, kind);
    if (kind === "negation") return `$mutant(${number})?(${raw(node.operand)}):(${inside(node, start)})`;
    const { left, operatorToken, right } = node;
    const other = SWAPPED.get(operatorToken.kind);
    const broken = other ? `(${raw(left)}) ${other} (${raw(right)})` : raw(left);
    return `$mutant(${number})?(${broken}):(${inside(node, start)})`;
  };
  return { code: render(source), sites };
}

const isLiteral = (node) => ts.isLiteralExpression(node);

/** Whether a node is removed with the types. */
function isOfTypes(node) {
  return (
    ts.isTypeNode(node) ||
    ts.isInterfaceDeclaration(node) ||
    ts.isTypeAliasDeclaration(node) ||
    ts.isImportDeclaration(node) ||
    ts.isExportDeclaration(node) ||
    ts.isEnumDeclaration(node) ||
    ts.isTypeParameterDeclaration(node) ||
    (node.modifiers?.some(({ kind }) => kind === Kind.DeclareKeyword || kind === Kind.AbstractKeyword) ??
      false) ||
    (ts.isFunctionLike(node) && !node.body && !ts.isTypeNode(node))
  );
}

/** The mutation that a node has because of what it is. */
function ownMutation(node) {
  if (ts.isBinaryExpression(node)) {
    const { kind } = node.operatorToken;
    // `a + 1` is broken by its number, too; what joins texts is broken by its texts.
    if (SWAPPED.has(kind) || kind === Kind.QuestionQuestionToken) return "operator";
  }
  if (ts.isPrefixUnaryExpression(node) && node.operator === Kind.ExclamationToken) return "negation";
}

function mutationOf(node) {
  const { parent } = node;
  if (!parent) return;
  if (
    (ts.isIfStatement(parent) && parent.expression === node) ||
    (ts.isConditionalExpression(parent) && parent.condition === node)
  )
    return "condition";
  if (ts.isReturnStatement(node) && node.expression) return "return";
  if (ts.isThrowStatement(node)) return "statement";
  if (ts.isExpressionStatement(node)) {
    const { expression } = node;
    const isSuper = ts.isCallExpression(expression) && expression.expression.kind === Kind.SuperKeyword;
    return isSuper || ts.isStringLiteral(expression) ? undefined : "statement";
  }
  if (
    ts.isBlock(node) &&
    ts.isFunctionLike(parent) &&
    !ts.isConstructorDeclaration(parent) &&
    !ts.isGetAccessor(parent) &&
    !ts.isSetAccessor(parent) &&
    node.statements.length > 1
  )
    return "block";
  if (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node) || ts.isTemplateExpression(node))
    return isText(node) ? "text" : undefined;
  if (ts.isNumericLiteral(node)) return isValue(node) ? "number" : undefined;
  if (node.kind === Kind.TrueKeyword || node.kind === Kind.FalseKeyword)
    return isValue(node) ? "boolean" : undefined;
  return ownMutation(node);
}

/** Whether a literal is a value, and not a name or a type. */
function isValue(node) {
  const { parent } = node;
  if (ts.isLiteralTypeNode(parent)) return false;
  if (ts.isPrefixUnaryExpression(parent)) return false;
  return parent.name !== node && parent.propertyName !== node;
}

function isText(node) {
  const { parent } = node;
  if (!isValue(node) || ts.isTaggedTemplateExpression(parent)) return false;
  if (!ts.isCallExpression(parent)) return true;
  if (parent.expression.kind === Kind.ImportKeyword) return false;
  return !(ts.isIdentifier(parent.expression) && MESSAGES.test(parent.expression.text));
}
