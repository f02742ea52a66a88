import { cutText } from "../../k8s/go-text";
import { parseMilli } from "../../k8s/quantity";
import { errorText, isFault, rephrased } from "../../model/fault";
import type { MetricSource, SourceQuery, SourceReading, Operand } from "../../model/ports/sources";
import { quantityOf } from "../parameters";
import { isMissing, Missing } from "./call";
import { readParameters, requiredText } from "../fields/read-fields";
import { compileFormula } from "./compile";
import { formulaFields, namesOf, operandsOf } from "./operands";

interface FormulaQuery {
  readonly formula: string;
  readonly operands: readonly Operand[];
  readonly calculate: ReturnType<typeof compileFormula>;
}

/** Each metric's decision keeps the operands' text. */
const madeOfBytes = 500;

export function openFormulaSource(): MetricSource {
  return {
    keepMs: () => 0,
    open({ now }) {
      const timestamp = new Date(now).toISOString();
      return {
        read(query) {
          try {
            const { value, madeOf } = calculated(query);
            const item = { metricName: query.metricName, metricLabels: {}, timestamp, value };
            return Promise.resolve({ items: [item], madeOf: cutText(madeOf, madeOfBytes), ...certainOf(query) });
          } catch (error) {
            const message = isFault(error) ? error.message : `unexpected: ${errorText(error)}`;
            const lack = Object.values(query.operands ?? {}).find((operand) => operand.lack !== undefined)?.lack;
            return Promise.resolve({ error: message, from: "formula", ...(lack !== undefined && { lack }) });
          }
        },
      };
    },
  };
}

function calculated(query: SourceQuery): { readonly value: string; readonly madeOf: string } {
  const { operands, calculate } = parseFormulaQuery(query);
  const values = new Map(
    operands.map(({ name, metric }) => {
      const reading = query.operands?.[name] ?? { error: "it was not read" };
      return [name, valueOf(reading, `operand ${name} (source ${metric.name})`)] as const;
    }),
  );
  const given = [...values].map(([name, value]) => `${name}=${text(value)}`).join(", ");
  try {
    const result = calculate((name) => {
      const value = values.get(name);
      if (typeof value !== "number") throw value ?? new Missing(`operand ${name}: it was not read`);
      return value;
    });
    return { value: quantityOf(result), madeOf: given };
  } catch (error) {
    if (!isFault(error) || isMissing(error)) throw error;
    throw rephrased(error, `${errorText(error)} (with ${given})`);
  }
}

function certainOf(query: SourceQuery): { readonly certain?: string } {
  const { operands = {} } = query;
  if (!Object.values(operands).some((reading) => "items" in reading && reading.certain !== undefined)) return {};
  const certain = Object.entries(operands).map(([name, reading]) => [name, certainPart(reading)] as const);
  try {
    return { certain: calculated({ ...query, operands: Object.fromEntries(certain) }).value };
  } catch (error) {
    if (isFault(error)) return { certain: "0" };
    throw error;
  }
}

function certainPart(reading: SourceReading): SourceReading {
  if ("error" in reading || reading.certain === undefined) return reading;
  const { certain: value } = reading;
  return { items: [{ metricName: "", timestamp: "", value }] };
}

function valueOf(reading: SourceReading, what: string): number | Missing {
  if ("error" in reading) return new Missing(`${what}: ${reading.error}`);
  if (reading.items.length === 0) return new Missing(`${what}: the answer has no value`);
  try {
    return Number(reading.items.reduce((sum, { value }) => sum + parseMilli(value), 0n)) / 1000;
  } catch (error) {
    return new Missing(`${what}: ${errorText(error)}`);
  }
}

function text(value: number | Missing): string {
  return typeof value === "number" ? String(value) : "missing";
}

/** @throws Fault "badEntry". */
export function checkFormula(parameters: SourceQuery["parameters"]): void {
  const { formula, operands } = readParameters(formulaFields, parameters);
  if (formula !== undefined && operands !== undefined) compileFormula(formula, namesOf(operands));
}

/** @throws Fault "badEntry". */
export function parseFormulaQuery(query: SourceQuery): FormulaQuery {
  const values = readParameters(formulaFields, query.parameters);
  const formula = requiredText(formulaFields, values, "formula");
  const operands = operandsOf(query);
  const names = operands.map(({ name }) => name);
  return { formula, operands, calculate: compileFormula(formula, names) };
}
